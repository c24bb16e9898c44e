"""`roo tasks list` and `show`: what is stored, and no more of it than is shown."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roo_code.cli.main import run_cli
from roo_code.events import (
    Event,
    EventRecord,
    MessageAdded,
    ParentCall,
    RunCompleted,
    RunFailed,
    TurnStarted,
)
from roo_code.messages import Message
from roo_code.task import rows
from roo_code.task.store import TaskQuery, TaskSummary
from tests.cli.stored_tasks import (
    asks_approval,
    asks_question,
    call,
    database,
    spec,
    store_tasks,
)

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path / "home"


def test_the_last_used_tasks_come_first_with_what_they_took(home: Path, capsys: Captured) -> None:
    ended: list[Event] = [TurnStarted(turn=1), RunCompleted(result="ok")]
    store_tasks(
        home,
        [
            ("aaaa1111-x", spec("Old one"), ended),
            ("bbbb2222-x", spec("Failed one"), [RunFailed(error="no")]),
            ("cccc3333-x", spec("Elsewhere", "/elsewhere"), []),
        ],
    )
    assert run_cli(["tasks", "list", "-w", "/w"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["ID", "STATUS", "WHEN", "TURNS", "COST", "TITLE"]
    assert re.match(r"bbbb2222  failed +2026-01-01 00:00 +0 +\$0\.0000  Failed one$", first)
    assert re.match(r"aaaa1111  completed +2026-01-01 00:00 +1 +\$0\.0000  Old one$", second)

    assert run_cli(["tasks", "list", "--all", "--format", "json", "--status", "created"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [task["id"] for task in listed["tasks"]] == ["cccc3333-x"]
    assert listed["tasks"][0]["stopped"] is True
    assert listed["before"] is None


def test_nothing_to_list_is_said_with_the_way_on(capsys: Captured) -> None:
    assert run_cli(["tasks", "list", "-w", "/nowhere"]) == 0
    assert "--all" in capsys.readouterr().err


def test_pages_follow_each_other_without_gap_or_repeat(home: Path, capsys: Captured) -> None:
    store_tasks(home, [(f"task{n:05}", spec(f"Task {n}"), []) for n in range(45)])
    seen: list[str] = []
    before: list[str] = []
    while True:
        assert run_cli(["tasks", "list", "--all", "--format", "json", *before]) == 0
        page = json.loads(capsys.readouterr().out)
        seen += [task["id"] for task in page["tasks"]]
        assert len(page["tasks"]) <= 20
        if page["before"] is None:
            break
        before = ["--before", page["before"]]
    assert seen == [f"task{n:05}" for n in reversed(range(45))]


def test_subtasks_are_not_listed_beside_their_parents(home: Path, capsys: Captured) -> None:
    below = spec("Below", parent=ParentCall(task_id="parent", tool_use_id="c"))
    store_tasks(home, [("parent", spec("Above"), []), ("child", below, [])])
    assert run_cli(["tasks", "list", "--all", "--format", "json"]) == 0
    assert [task["id"] for task in json.loads(capsys.readouterr().out)["tasks"]] == ["parent"]


def test_the_first_page_of_ten_thousand_reads_that_page_only(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_tasks(home, ((f"task{n:05}", spec(f"Task {n}"), []) for n in range(10_000)))
    decoded: list[object] = []

    read = rows._summary

    def counting(row: tuple[Any, ...]) -> TaskSummary:
        decoded.append(row)
        return read(row)

    monkeypatch.setattr(rows, "_summary", counting)
    assert run_cli(["tasks", "list", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 21
    assert len(decoded) == 21  # one more than shown, to know whether there are more


@pytest.mark.parametrize("workspace", [None, "/w"])
def test_a_page_is_found_by_index_without_sorting(home: Path, workspace: str | None) -> None:
    statements: list[str] = []
    with closing(database(home)) as db:
        rows.create(db, "t", spec("t"), 5.0)
        last = rows.summary(db, "t")
        db.set_trace_callback(statements.append)
        rows.summaries(db, TaskQuery(workspace=workspace, before=last, limit=20))
        db.set_trace_callback(None)
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statements[-1]}")]
    assert len(plan) == 1
    assert "USING INDEX" in plan[0]


def test_an_id_may_be_shortened_while_it_is_unique(home: Path, capsys: Captured) -> None:
    store_tasks(home, [(id, spec(id), []) for id in ("abcd-1", "abcd-2", "abce-1", "abcd")])
    assert run_cli(["tasks", "show", "abce"]) == 0
    assert "abce-1" in capsys.readouterr().out
    assert run_cli(["tasks", "show", "abcd"]) == 0, "an exact id is not a prefix"
    assert "task:    abcd\n" in capsys.readouterr().out
    for wanted, problem in (
        ("abcd-", "Several tasks begin with 'abcd-': abcd-1, abcd-2"),
        ("abc", "There is no task 'abc'"),
        ("nope", "There is no task 'nope'"),
        ("%", "There is no task"),
    ):
        assert run_cli(["tasks", "show", wanted]) == 1
        assert problem in capsys.readouterr().err


def test_a_prefix_is_looked_up_by_index(home: Path) -> None:
    with closing(database(home)) as db:
        plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM tasks WHERE id >= ? AND id <= ? ORDER BY id LIMIT 4",
            ("a", "b"),
        ).fetchall()
    assert "SEARCH tasks USING COVERING INDEX" in plan[0][3]


def test_a_task_is_shown_with_its_state_and_the_end_of_its_log(
    home: Path, capsys: Captured
) -> None:
    store_tasks(
        home, [("task-one", spec("Do this.\nAnd that."), asks_approval(call("c1", "make")))]
    )
    assert run_cli(["tasks", "show", "task-one", "--last", "3"]) == 0
    shown = capsys.readouterr().out
    assert "status:  parked" in shown
    assert "model:   anthropic/claude" in shown
    assert "I must run this." in shown
    assert "-> execute_command make" in shown
    assert "Do this." not in shown.split("\n\n", 1)[1], "the first record is not among the last 3"
    assert "waits for approval of c1: execute_command make" in shown
    assert "roo tasks answer task-one --approve --call c1" in shown


def test_a_task_is_shown_to_programs_as_json(home: Path, capsys: Captured) -> None:
    store_tasks(home, [("task-one", spec(), asks_question())])
    assert run_cli(["tasks", "show", "task-one", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["task"]["status"] == "parked"
    assert [record["seq"] for record in shown["records"]] == [1, 2, 3, 4, 5]
    assert shown["waiting_for"][0]["about"]["question"] == "Which one?"


def test_a_long_log_is_read_from_its_end(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[Event] = []
    for number in range(5_000):
        said = Message(role="assistant", content=())
        turns += [TurnStarted(turn=number), MessageAdded(message=said)]
    store_tasks(home, [("long-one", spec(), turns)])
    decoded: list[object] = []

    def counting(**fields: Any) -> EventRecord:
        decoded.append(fields["seq"])
        return EventRecord(**fields)

    monkeypatch.setattr(rows, "EventRecord", counting)
    assert run_cli(["tasks", "show", "long-one"]) == 0
    shown = capsys.readouterr().out
    assert "\n10001 " in shown
    assert len(re.findall(r"^ *\d+  \d\d:", shown, re.MULTILINE)) == 30
    assert len(decoded) <= 100


def test_what_a_model_says_cannot_steer_the_terminal(home: Path) -> None:
    from roo_code.cli.style import Style
    from roo_code.cli.task_view import record_lines

    event = RunCompleted(result="\x1b]0;owned\x07 done")
    with closing(database(home)) as db:
        rows.create(db, "t", spec(), 0.0)
        record = rows.tail(db, "t", 1)[0].replace(event=event)
    assert "\x1b" not in record_lines(record, Style(terminal=True))


def test_a_store_that_cannot_be_opened_is_told_plainly(home: Path, capsys: Captured) -> None:
    (home / "state").mkdir(parents=True)
    (home / "state" / "tasks.sqlite3").write_bytes(b"not a database" * 100)
    for arguments in (["list"], ["show", "task-one"]):
        assert run_cli(["tasks", *arguments]) == 1
        assert "cannot be used" in capsys.readouterr().err


def test_every_command_explains_itself_with_an_example(capsys: Captured) -> None:
    for name in ("list", "show", "watch", "answer", "cancel", "resume", "delete"):
        assert run_cli(["tasks", name, "--help"]) == 0
        assert f"roo tasks {name} " in capsys.readouterr().out.split("Example", 1)[1]
