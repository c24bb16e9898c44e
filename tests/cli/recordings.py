"""A second machine, and what is the same on both."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from roo_code.events import Event
from roo_code.providers.places import Places, comparable
from roo_code.task.rows import read, summaries
from roo_code.task.schema import connect
from roo_code.task.store import TaskQuery
from roo_code.testing.model_replies import ScriptedReply
from tests.cli.conftest import Roo, calls, completion

FIXED = "def add(a, b):\n    return a + b\n"


def fix() -> list[ScriptedReply]:
    return [
        calls("I will look.", read_file={"path": "calc.py"}),
        calls(write_to_file={"path": "calc.py", "content": FIXED}),
        completion("It adds now."),
    ]


def elsewhere(roo: Roo, folder: Path, **environment: str) -> Roo:
    """Another user's home, folder for temporary files and workspace; no key and no network."""
    home, workspace, temp = folder / "users" / "bob", folder / "srv" / "checkout", folder / "t"
    for path in (home, workspace, temp):
        path.mkdir(parents=True)
    (workspace / "calc.py").write_bytes((roo.workspace / "calc.py").read_bytes())
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ROO_HOME": str(home / ".config" / "roo"),
        "TMPDIR": str(temp),
        "LANG": "C.UTF-8",
        **environment,
    }
    return Roo(home / ".config" / "roo", workspace, settings, roo.exits)


def record_task(roo: Roo, task_id: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*roo.program, "tasks", "record", task_id, str(path)],
        env=roo.environment, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip


def stored_events(roo: Roo) -> tuple[str, list[Event]]:
    """Of the newest task: its id and its log."""
    with closing(connect(roo.home / "state" / "tasks.sqlite3", write=False)) as db:
        task = summaries(db, TaskQuery(limit=1))[0]
        return task.id, [record.event for record in read(db, task.id, 0, 100_000)]


def comparable_events(roo: Roo) -> list[dict[str, Any]]:
    task_id, events = stored_events(roo)
    places = Places(
        {
            "workspace": str(roo.workspace),
            "home": roo.environment["HOME"],
            "temp": roo.environment["TMPDIR"],
            "artifacts": str(roo.home / "state" / "artifacts" / task_id),
        }
    )
    return comparable(events, places)
