"""Yes for this task and yes for always, from a terminal and from `roo tasks answer`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalRule
from roo_code.cli.main import run_cli
from roo_code.commands import RespondToApproval
from roo_code.events import (
    ApprovalRequested,
    Event,
    QuestionAsked,
    ReachedLimit,
    RunParked,
    Waiting,
)
from roo_code.json_text import JsonValue
from roo_code.task import inbox
from tests.cli.conftest import Roo, calls, completion
from tests.cli.stored_tasks import asks_approval, asks_question, call, database, spec, store_tasks

RULE = ApprovalRule(kind="command", covers=("mkfifo a",), always={"allowedCommands": ["mkfifo a"]})
MAKE = calls(execute_command={"command": "mkfifo a"})
WRITE: dict[str, JsonValue] = {"path": "new.txt", "content": "hi\n"}
AGAIN = calls(execute_command={"command": "mkfifo a || true"})


def settings_of(roo: Roo) -> dict[str, object]:
    file = roo.home / "settings" / "settings.json"
    return json.loads(file.read_bytes()) if file.exists() else {}


def write_settings(roo: Roo, **values: object) -> None:
    (roo.home / "settings").mkdir(parents=True, exist_ok=True)
    file = roo.home / "settings" / "settings.json"
    file.write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize("key", ["t", "a"])
def test_its_like_is_not_asked_again_and_always_is_written(roo: Roo, key: str) -> None:
    roo.serve(MAKE, AGAIN, completion("Made."))
    terminal = roo.terminal("--oneshot", "Make it.")
    terminal.wait_for("t: yes, and in this task to commands that begin with mkfifo a")
    terminal.wait_for('a: always: as t, and adds allowedCommands: ["mkfifo a"] to your settings')
    terminal.wait_for("Allow execute_command? y, n, t, a, or what to do instead: ")
    terminal.line(key)
    terminal.wait_for("Made.")
    assert terminal.exit_code() == 0
    assert terminal.output.count("Allow execute_command?") == 1
    listed = settings_of(roo).get("allowedCommands", [])
    assert ("mkfifo a" in str(listed)) is (key == "a")
    if key == "a":  # the next task, with nobody there, goes by it
        roo.serve(AGAIN, completion("Made again."))
        assert "Made again." in roo.run("-p", "Make it.").stdout


def test_calls_of_one_reply_that_are_alike_are_asked_once(roo: Roo) -> None:
    more = calls(write_to_file=WRITE, apply_diff={"path": "calc.py", "diff": "x"})
    roo.serve(more, completion("Tried."))
    terminal = roo.terminal("--oneshot", "--approve", "read", "Write it.")
    terminal.wait_for("t: yes, and in this task to edits of files in the workspace")
    terminal.wait_for("y, n, t, or what to do instead: ")
    terminal.line("t")
    terminal.wait_for("Tried.")
    assert terminal.output.count("or what to do instead: ") == 1
    assert "answered elsewhere" not in terminal.output
    assert (roo.workspace / "new.txt").exists()


def test_roos_switches_decide_what_is_asked(roo: Roo) -> None:
    write_settings(roo, autoApprovalEnabled=True, alwaysAllowReadOnly=True)
    roo.serve(calls(read_file={"path": "calc.py"}, write_to_file=WRITE), completion("Done."))
    done = roo.run("-p", "Write it.")
    assert "alwaysAllowWrite is off, and nobody is there to approve it" in done.stderr
    assert "✓" in done.stdout
    assert not (roo.workspace / "new.txt").exists()
    roo.serve(calls(write_to_file=WRITE), completion("Done."))
    assert roo.run("-p", "--approve", "auto-edit", "Write it.").returncode == 0
    assert (roo.workspace / "new.txt").exists()


@pytest.mark.parametrize("outside", [True, False])
def test_files_elsewhere_are_read_if_the_users_own_switch_says_so(
    roo: Roo, tmp_path: Path, outside: bool
) -> None:
    write_settings(
        roo,
        autoApprovalEnabled=True,
        alwaysAllowReadOnly=True,
        alwaysAllowReadOnlyOutsideWorkspace=outside,
    )
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("far away\n", encoding="utf-8")
    server = roo.serve(calls(read_file={"path": str(elsewhere)}), completion("Read."))
    assert roo.run("-p", "Read it.").returncode == 0
    assert ("far away" in str(server.requests[-1].body["messages"])) is outside


def test_read_only_refuses_what_others_ask(roo: Roo) -> None:
    roo.serve(calls(write_to_file=WRITE), completion("Done."))
    terminal = roo.terminal("--oneshot", "--approve", "read-only", "Write it.")
    terminal.wait_for("refused: approval level 'read-only' lets nothing happen but reading")
    terminal.wait_for("Done.")
    assert not (roo.workspace / "new.txt").exists()


def test_beyond_a_limit_the_person_is_asked(roo: Roo) -> None:
    write_settings(roo, allowedMaxRequests=1)
    read = calls(read_file={"path": "calc.py"})
    roo.serve(read, completion("Read."))
    terminal = roo.terminal("--oneshot", "Read it.")
    terminal.wait_for("The task has reached allowedMaxRequests, 1. Go on, and count anew?")
    terminal.wait_for("y or n: ")
    terminal.line("y")
    terminal.wait_for("Read.")
    assert terminal.exit_code() == 0
    roo.serve(read, completion("Read."))
    done = roo.run("-p", "Read it.")
    assert done.returncode == 1
    assert "reached allowedMaxRequests, 1, and nobody is there to let it go on." in done.stderr


def test_a_question_answers_itself_at_the_terminal(roo: Roo) -> None:
    write_settings(
        roo,
        autoApprovalEnabled=True,
        alwaysAllowReadOnly=True,
        alwaysAllowFollowupQuestions=True,
        followupAutoApproveTimeoutMs=50,
    )
    asked = {"question": "Which?", "follow_up": [{"text": "red"}, {"text": "blue"}]}
    server = roo.serve(calls(ask_followup_question=asked), completion("Red it is."))  # pyright: ignore[reportArgumentType]
    terminal = roo.terminal("--oneshot", "Choose.")
    terminal.wait_for("answers itself with 'red' in 0 s")
    terminal.wait_for("(answered: red)")
    terminal.wait_for("Red it is.")
    assert "red" in str(server.requests[-1].body["messages"])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def parked(rule: ApprovalRule | None) -> list[Event]:
    return [
        event.replace(rule=rule) if isinstance(event, ApprovalRequested) else event
        for event in asks_approval(call("c1", "mkfifo a"))
    ]


@pytest.mark.parametrize("scope", ["task", "always"])
def test_the_flag_is_a_yes_of_that_reach(home: Path, scope: str) -> None:
    store_tasks(home, [("task-one", spec(), parked(RULE))])
    assert run_cli(["tasks", "answer", "task", f"--{scope}"]) == 0
    with closing(database(home)) as db:
        [command] = inbox.waiting(db, "task-one")
    assert isinstance(command, RespondToApproval)
    assert (command.approved, command.scope) == (True, scope)


def test_what_can_be_approved_only_once_is_said(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    narrow = RULE.replace(always={})
    store_tasks(
        home,
        [
            ("one", spec(), parked(None)),
            ("two", spec(), parked(narrow)),
            ("three", spec(), asks_question()),
        ],
    )
    assert run_cli(["tasks", "answer", "one", "--task"]) == 1
    assert "--task cannot be said to" in capsys.readouterr().err
    assert run_cli(["tasks", "answer", "two", "--always"]) == 1
    assert run_cli(["tasks", "answer", "two", "--task"]) == 0
    assert run_cli(["tasks", "answer", "two", "--refuse", "--task"]) == 1
    assert run_cli(["tasks", "answer", "three", "--always"]) == 1


def test_show_tells_what_each_flag_would_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limit = QuestionAsked(
        tool_use_id="limit_1",
        question="Go on?",
        limit=ReachedLimit(kind="cost", count=2.5),
    )
    waits = RunParked(waiting_for=(Waiting(kind="limit", tool_use_id="limit_1"),))
    store_tasks(home, [("one", spec(), parked(RULE)), ("two", spec(), [limit, waits])])
    run_cli(["tasks", "show", "one"])
    shown = capsys.readouterr().out
    assert "--task --call c1    (yes, and in this task to commands that begin with" in shown
    assert '--always --call c1    (always: as t, and adds allowedCommands: ["mkfifo a"]' in shown
    run_cli(["tasks", "show", "two"])
    assert "--approve    (or --refuse, which ends it)" in capsys.readouterr().out
    assert run_cli(["tasks", "answer", "two", "--approve"]) == 0
