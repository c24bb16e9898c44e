"""A tree of tasks, its process killed after every commit in turn: it finishes all the same."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.events import RunCompleted, SubtaskEnded, SubtaskStarted, TaskCreated, TaskSpec
from roo_code.history import closed_messages
from roo_code.task.rows import create, read
from roo_code.task.schema import connect
from tests.execution.test_kill import ROOT, Drivers
from tests.wellformed import problems

MIDS = (1, 2)
LEAVES = (1, 2, 3, 4)
NAMES = ["ROOT", *(f"MID-{m}" for m in MIDS), *(f"LEAF-{m}-{n}" for m in MIDS for n in LEAVES)]
EVERY = int(os.environ.get("TREE_EVERY", "8"))
"""Every how many commits; 1 is all of them."""


def call(name: str, **input: str) -> dict[str, Any]:
    return {"id": f"{name}-{input.get('message', 'end')}", "name": name, "input": input}


def done(text: str) -> dict[str, Any]:
    return {"tool_calls": [call("attempt_completion", result=text)]}


def begin(*children: str) -> dict[str, Any]:
    return {"tool_calls": [call("new_task", mode="code", message=child) for child in children]}


def script(path: Path) -> Path:
    """The root starts two, each of which starts four; all say who they are in the end."""
    said: dict[str, Any] = {"ROOT": [begin("MID-1", "MID-2"), done("result of ROOT")]}
    for mid in MIDS:
        leaves = [f"LEAF-{mid}-{n}" for n in LEAVES]
        said[f"MID-{mid}"] = [begin(*leaves), done(f"result of MID-{mid}")]
        said |= {leaf: [done(f"result of {leaf}")] for leaf in leaves}
    path.write_text(json.dumps({"replies": [], "conversations": said}), encoding="utf-8")
    return path


@contextmanager
def model_server(folder: Path) -> Generator[str]:
    command = [sys.executable, "-m", "roo_code.testing.model_server"]
    arguments = ["--script", str(script(folder / "s.json")), "--log", str(folder / "log.jsonl")]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


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


def environment(folder: Path) -> dict[str, str]:
    home = str(folder / "home")
    return {**os.environ, "ANTHROPIC_API_KEY": "k", "PYTHONPATH": str(ROOT), "ROO_HOME": home}


def asked(folder: Path, since: int = 0, names: Sequence[str] = NAMES) -> tuple[int, Counter[str]]:
    """How much of the server's log there is, and how often each task was answered since."""
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    firsts = [json.dumps(json.loads(line)["body"]["messages"][0]) for line in lines[since:]]
    count = Counter(name for first in firsts for name in names if name in first)
    return len(lines), count


def completed(state: Path) -> set[str]:
    """The names of the tasks that are done."""
    with sqlite3.connect(state / "tasks.sqlite3") as db:
        rows = db.execute("SELECT title FROM tasks WHERE status='completed'").fetchall()
    db.close()
    return {title for (title,) in rows}


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
    images = tmp_path / "images"
    with model_server(tmp_path) as url:
        new_tree(tmp_path, url)
        subprocess.run(
            [sys.executable, "-m", "tests.execution.image_process",
             str(tmp_path / "state"), "t", str(images)],
            cwd=ROOT, env=environment(tmp_path), timeout=120, check=True,
        )  # fmt: skip
        check_tree(tmp_path / "state")
        places = sorted(images.iterdir())
        assert len(places) > 40
        monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
        drivers = Drivers(tmp_path / "state")
        try:
            for place in places[::EVERY]:
                had = completed(place)
                since, _ = asked(tmp_path)
                drivers.start(place)
                assert drivers.wait() == 0
                check_tree(place)
                again = asked(tmp_path, since)[1].keys() & had
                assert not again, f"{place.name}: asked again, though done: {again}"
        finally:
            drivers.close()
