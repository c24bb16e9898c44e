"""A task driven once, and again from what a kill after each commit would have left."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.execution.test_kill import ROOT, Drivers

EVERY = int(os.environ.get("TREE_EVERY", "8"))
"""Every how many commits; 1 is all of them."""


@contextmanager
def model_server(folder: Path, script: dict[str, Any]) -> Generator[str]:
    """A scripted model whose requests are logged, in a process of its own."""
    (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    command = [sys.executable, "-m", "roo_code.testing.model_server"]
    arguments = ["--script", str(folder / "script.json"), "--log", str(folder / "log.jsonl")]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def crash_images(folder: Path) -> list[Path]:
    """Drive task `t` of the store in `state` to its end; the states that it went through."""
    home = str(folder / "home")
    environment = {**os.environ, "ANTHROPIC_API_KEY": "k", "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-m", "tests.execution.image_process",
         str(folder / "state"), "t", str(folder / "images")],
        cwd=ROOT, env={**environment, "ROO_HOME": home}, timeout=120, check=True,
    )  # fmt: skip
    return sorted((folder / "images").iterdir())


def go_on_from_each(
    folder: Path, places: Sequence[Path], names: Sequence[str], check: Callable[[Path], None]
) -> None:
    """Whoever was done by then is not asked again; `names` stand in the first words of tasks."""
    drivers = Drivers(folder / "state")
    try:
        for place in places[::EVERY]:
            done = completed(place)
            had = {name for name in names if any(name in title for title in done)}
            since, _ = asked(folder, names)
            drivers.start(place)
            assert drivers.wait() == 0
            check(place)
            again = asked(folder, names, since)[1].keys() & had
            assert not again, f"{place.name}: asked again, though done: {again}"
    finally:
        drivers.close()


def asked(folder: Path, names: Sequence[str], since: int = 0) -> tuple[int, Counter[str]]:
    """How much of the server's log there is, and how often each task was answered since."""
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    firsts = [json.dumps(json.loads(line)["body"]["messages"][0]) for line in lines[since:]]
    return len(lines), Counter(name for first in firsts for name in names if name in first)


def completed(state: Path) -> set[str]:
    """The titles of the tasks that are done."""
    with sqlite3.connect(state / "tasks.sqlite3") as db:
        rows = db.execute("SELECT title FROM tasks WHERE status='completed'").fetchall()
    db.close()
    return {title for (title,) in rows}
