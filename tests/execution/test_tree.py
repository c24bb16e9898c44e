"""A tree of tasks, its process killed after every commit in turn: it finishes all the same."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.events import RunCompleted, SubtaskEnded, SubtaskStarted, TaskCreated, TaskSpec
from roo_code.history import closed_messages
from roo_code.task.rows import create, read
from roo_code.task.schema import connect
from tests.execution.crash_images import crash_images, go_on_from_each, model_server
from tests.wellformed import problems

MIDS = (1, 2)
LEAVES = (1, 2, 3, 4)
NAMES = ["ROOT", *(f"MID-{m}" for m in MIDS), *(f"LEAF-{m}-{n}" for m in MIDS for n in LEAVES)]


def call(name: str, **input: str) -> dict[str, Any]:
    return {"id": f"{name}-{input.get('message', 'end')}", "name": name, "input": input}


def done(text: str) -> dict[str, Any]:
    return {"tool_calls": [call("attempt_completion", result=text)]}


def begin(*children: str) -> dict[str, Any]:
    return {"tool_calls": [call("new_task", mode="code", message=child) for child in children]}


def script() -> dict[str, Any]:
    """The root starts two, each of which starts four; all say who they are in the end."""
    said: dict[str, Any] = {"ROOT": [begin("MID-1", "MID-2"), done("result of ROOT")]}
    for mid in MIDS:
        leaves = [f"LEAF-{mid}-{n}" for n in LEAVES]
        said[f"MID-{mid}"] = [begin(*leaves), done(f"result of MID-{mid}")]
        said |= {leaf: [done(f"result of {leaf}")] for leaf in leaves}
    return {"conversations": said}


def new_tree(folder: Path, url: str) -> None:
    (folder / "workspace").mkdir()
    spec = TaskSpec(
        prompt="ROOT",
        workspace=str(folder / "workspace"),
        mode="orchestrator",
        provider={"api_provider": "anthropic", "api_base_url": url, "api_model_id": "scripted"},
        approval=ApprovalSettings(level="all", unattended=True),
    )
    db = connect(folder / "state" / "tasks.sqlite3", write=True)
    create(db, "t", spec, time.time())
    db.close()


def check_tree(state: Path) -> None:
    """All eleven are done, each once, and every result came to the call that wanted it."""
    db = connect(state / "tasks.sqlite3", write=False)
    ids = [id for (id,) in db.execute("SELECT id FROM tasks")]
    names: list[str] = []
    for id in ids:
        events = [record.event for record in read(db, id, 0, 10_000)]
        assert isinstance(events[0], TaskCreated)
        name = events[0].spec.prompt
        names.append(name)
        ends = [event.result for event in events if isinstance(event, RunCompleted)]
        assert ends == [f"result of {name}"]
        wanted = {e.tool_use_id: e.prompt for e in events if isinstance(e, SubtaskStarted)}
        came = [event for event in events if isinstance(event, SubtaskEnded)]
        assert sorted(event.tool_use_id for event in came) == sorted(wanted)
        for event in came:
            assert event.result.endswith(f"result of {wanted[event.tool_use_id]}")
        assert problems(closed_messages(events)) == []
    assert sorted(names) == sorted(NAMES)
    db.close()


@pytest.mark.timeout(900)
@pytest.mark.requirement("modes:new-task:reports-back")
def test_a_tree_killed_after_any_commit_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    with model_server(tmp_path, script()) as url:
        new_tree(tmp_path, url)
        places = crash_images(tmp_path)
        check_tree(tmp_path / "state")
        assert len(places) > 40
        go_on_from_each(tmp_path, places, NAMES, check_tree)
