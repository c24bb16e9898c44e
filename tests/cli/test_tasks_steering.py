"""`roo tasks` answers, cancels, deletes and watches tasks that no process drives."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from roo_code.cli.main import run_cli
from roo_code.commands import AnswerQuestion, Command, ReportSubtask, RespondToApproval, SendMessage
from roo_code.events import Event, MessageAdded, ParentCall, RunCompleted, RunFailed, TurnStarted
from roo_code.messages import Message
from roo_code.task import inbox, rows
from tests.cli.stored_tasks import (
    asks_approval,
    asks_question,
    call,
    database,
    spec,
    store_tasks,
    waits_for_subtask,
)

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def waiting(home: Path, task_id: str) -> list[Command]:
    with closing(database(home)) as db:
        return inbox.waiting(db, task_id)


@pytest.mark.parametrize(("flag", "approved"), [("--approve", True), ("--refuse", False)])
def test_an_approval_is_stored_for_whoever_resumes(
    home: Path, capsys: Captured, flag: str, approved: bool
) -> None:
    store_tasks(home, [("task-one", spec(), asks_approval(call("c1", "make")))])
    assert run_cli(["tasks", "answer", "task", flag, "--message", "carefully"]) == 0
    assert "roo tasks resume task-one" in capsys.readouterr().out
    [command] = waiting(home, "task-one")
    assert isinstance(command, RespondToApproval)
    assert (command.tool_use_id, command.approved) == ("c1", approved)
    assert command.feedback == "carefully"


def test_a_question_is_answered_with_text(home: Path) -> None:
    store_tasks(home, [("task-one", spec(), asks_question())])
    assert run_cli(["tasks", "answer", "task-one", "the second"]) == 0
    [command] = waiting(home, "task-one")
    assert isinstance(command, AnswerQuestion)
    assert (command.tool_use_id, command.answer) == ("q-1", "the second")


def test_text_to_a_task_that_asks_nothing_is_a_message(home: Path) -> None:
    store_tasks(home, [("task-one", spec(), [RunCompleted(result="ok")])])
    assert run_cli(["tasks", "answer", "task-one", "also the docs"]) == 0
    [command] = waiting(home, "task-one")
    assert isinstance(command, SendMessage)
    assert command.text == "also the docs"


def test_one_of_several_approvals_must_be_named(home: Path, capsys: Captured) -> None:
    calls = (call("call-a", "make"), call("call-b", "rm x"), call("other", "ls"))
    store_tasks(home, [("task-one", spec(), asks_approval(*calls))])
    assert run_cli(["tasks", "answer", "task-one", "--approve"]) == 1
    error = capsys.readouterr().err
    assert "several approvals" in error
    assert "call-b: execute_command rm x" in error
    assert run_cli(["tasks", "answer", "task-one", "--approve", "--call", "call"]) == 1
    assert run_cli(["tasks", "answer", "task-one", "--approve", "--call", "nope"]) == 1
    assert waiting(home, "task-one") == []
    assert (
        run_cli(["tasks", "answer", "task-one", "--approve", "--call", "other", "--call", "call-b"])
        == 0
    )
    answered = [
        c.tool_use_id for c in waiting(home, "task-one") if isinstance(c, RespondToApproval)
    ]
    assert answered == ["other", "call-b"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--approve"], "waits for no approval"),
        ([], "Give either --approve, --refuse, or a TEXT."),
        (["yes", "--approve"], "Give either --approve, --refuse, or a TEXT."),
        (["yes", "--message", "x"], "go with --approve or --refuse"),
    ],
)
def test_an_answer_that_fits_nothing_is_refused(
    home: Path, capsys: Captured, arguments: list[str], problem: str
) -> None:
    store_tasks(home, [("task-one", spec(), asks_question())])
    assert run_cli(["tasks", "answer", "task-one", *arguments]) == 1
    assert problem in capsys.readouterr().err
    assert waiting(home, "task-one") == []


def test_text_is_no_approval(home: Path, capsys: Captured) -> None:
    store_tasks(home, [("task-one", spec(), asks_approval(call("c1", "make")))])
    assert run_cli(["tasks", "answer", "task-one", "yes"]) == 1
    assert "say --approve or --refuse" in capsys.readouterr().err


@pytest.mark.requirement("agent:engine:task-lifecycle")
def test_a_task_that_nobody_drives_is_cancelled_here(home: Path, capsys: Captured) -> None:
    store_tasks(
        home,
        [
            ("parked-one", spec(), asks_approval(call("c1", "make"))),
            ("dead-one", spec(), [TurnStarted(turn=1)]),
        ],
    )
    for task_id in ("parked-one", "dead-one"):
        assert run_cli(["tasks", "cancel", task_id, "--reason", "enough"]) == 0
        assert f"{task_id} is cancelled" in capsys.readouterr().out
        assert run_cli(["tasks", "show", task_id, "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["task"]["status"] == "cancelled"
        assert shown["records"][-1]["event"] == {"type": "run_cancelled", "reason": "enough"}
        assert shown["waiting_for"] == []


@pytest.fixture
def family(home: Path) -> None:
    """A task that waits for its subtask, which waits for an approval."""
    below = spec("Do a part.", parent=ParentCall(task_id="parent", tool_use_id="n-1"))
    store_tasks(
        home,
        [
            ("parent", spec("Whole"), waits_for_subtask("child")),
            ("child", below, asks_approval(call("c1", "make"))),
        ],
    )


@pytest.mark.usefixtures("family")
def test_cancelling_a_task_ends_what_it_waits_for(home: Path, capsys: Captured) -> None:
    assert run_cli(["tasks", "cancel", "parent"]) == 0
    capsys.readouterr()
    with closing(database(home)) as db:
        for id in ("parent", "child"):
            summary = rows.summary(db, id)
            assert summary is not None
            assert summary.status == "cancelled"


@pytest.mark.usefixtures("family")
def test_cancelling_a_subtask_leaves_its_parent_alone(home: Path) -> None:
    assert run_cli(["tasks", "cancel", "child"]) == 0
    with closing(database(home)) as db:
        summary = rows.summary(db, "parent")
        assert summary is not None
        assert summary.status == "parked"
        [report] = inbox.waiting(db, "parent")
    assert isinstance(report, ReportSubtask)


@pytest.mark.usefixtures("family")
def test_resuming_a_task_tells_what_its_subtask_waits_for(home: Path, capsys: Captured) -> None:
    assert run_cli(["tasks", "resume", "parent"]) == 1
    told = capsys.readouterr().err
    assert "waits for approval of c1: execute_command make" in told
    assert "roo tasks answer child --approve --call c1" in told


def test_a_task_that_has_ended_need_not_be_cancelled(home: Path, capsys: Captured) -> None:
    store_tasks(home, [("task-one", spec(), [RunCompleted(result="ok")])])
    assert run_cli(["tasks", "cancel", "task-one"]) == 0
    assert "had ended before: completed" in capsys.readouterr().out


def test_a_deleted_task_is_gone_with_all_below_it(home: Path, capsys: Captured) -> None:
    below = spec(parent=ParentCall(task_id="parent", tool_use_id="c"))
    store_tasks(home, [("parent", spec(), []), ("child", below, [])])
    artifact = home / "state" / "artifacts" / "parent" / "output.txt"
    artifact.parent.mkdir(parents=True)
    artifact.write_text("long", encoding="utf-8")
    assert run_cli(["tasks", "delete", "parent"]) == 1, "nobody can be asked"
    assert "--yes" in capsys.readouterr().err
    assert run_cli(["tasks", "delete", "parent", "--yes"]) == 0
    assert run_cli(["tasks", "show", "parent"]) == 1
    assert run_cli(["tasks", "show", "child"]) == 1
    assert not artifact.exists()


def test_a_watched_task_that_has_ended_is_shown_and_left(home: Path, capsys: Captured) -> None:
    ended: list[Event] = [
        TurnStarted(turn=1),
        RunFailed(error="no network"),
        MessageAdded(message=Message.from_user("Again.")),
        RunCompleted(result="All good."),
    ]
    store_tasks(home, [("task-one", spec(), ended)])
    assert run_cli(["tasks", "watch", "task-one", "--from", "1", "--format", "json"]) == 0
    seen = [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()]
    assert seen == [1, 2, 3, 4, 5], "an end that was not the last is passed over"
    assert run_cli(["tasks", "watch", "task-one"]) == 0
    assert "All good." in capsys.readouterr().out
    assert run_cli(["tasks", "watch", "task-one", "--from", "9"]) == 0
