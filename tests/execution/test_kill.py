"""kill -9 at any moment: the task goes on, nothing is lost, nothing happens twice."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.events import TaskSpec, ToolFinished
from roo_code.history import closed_messages
from roo_code.task.rows import create, read
from roo_code.task.schema import connect
from tests.wellformed import problems

ROOT = Path(__file__).parent.parent.parent


def script(path: Path, turns: int) -> Path:
    """Each reply appends its own line to a file; every other one also reads it."""
    replies: list[dict[str, object]] = []
    for turn in range(turns):
        command = f"sleep 0.0{turn % 4}; echo line-{turn} >> out.txt; sleep 0.0{turn % 3}"
        calls = [{"id": f"w{turn}", "name": "execute_command", "input": {"command": command}}]
        if turn % 2:
            calls.append({"id": f"r{turn}", "name": "read_file", "input": {"path": "out.txt"}})
        text = f"Step {turn} of many, in words enough to be cut off in the middle."
        slow = {"kind": "slow", "seconds": 0.005}  # so that some kills fall into a reply
        replies.append({"text": text, "tool_calls": calls, "faults": [slow] * 3})
    done = {"id": "done", "name": "attempt_completion", "input": {"result": "All lines."}}
    replies.append({"tool_calls": [done]})
    path.write_text(json.dumps({"replies": replies}), encoding="utf-8")
    return path


@contextmanager
def model_server(folder: Path, turns: int) -> Generator[str]:
    log = folder / "requests.jsonl"
    command = [sys.executable, "-m", "roo_code.testing.model_server"]
    arguments = ["--script", str(script(folder / "script.json", turns)), "--log", str(log)]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


class Drivers:
    """Forks drivers, and kills them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.execution.driver_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "ANTHROPIC_API_KEY": "test", "PYTHONPATH": str(ROOT)},
        )

    def start(self, folder: Path | None = None) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder or self._folder} t\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def wait(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def drivers(tmp_path: Path) -> Generator[Drivers]:
    started = Drivers(tmp_path / "state")
    yield started
    started.close()


def new_task(folder: Path, url: str) -> None:
    workspace = folder / "workspace"
    workspace.mkdir()
    provider = {"api_provider": "anthropic", "api_base_url": url, "api_model_id": "scripted"}
    spec = TaskSpec(
        prompt="Write the lines.",
        workspace=str(workspace),
        provider=dict(provider),
        approval=ApprovalSettings(level="all", unattended=True),
    )
    db = connect(folder / "state" / "tasks.sqlite3", write=True)
    create(db, "t", spec, time.time())
    db.close()


def stored(state: Path) -> list[tuple[int, str]]:
    with sqlite3.connect(state / "tasks.sqlite3") as db:
        rows = db.execute("SELECT seq, body FROM events WHERE task_id='t' ORDER BY seq").fetchall()
    db.close()
    return rows


def last_seq(db: sqlite3.Connection) -> int:
    return db.execute("SELECT max(seq) FROM events WHERE task_id='t'").fetchone()[0]


def status(db: sqlite3.Connection) -> str:
    return db.execute("SELECT status FROM tasks WHERE id='t'").fetchone()[0]


def check_outcome(state: Path, workspace: Path) -> None:
    """No line twice, none missing whose command is known to have succeeded, a legal history."""
    lines = (workspace / "out.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines))
    db = connect(state / "tasks.sqlite3", write=False)
    events = [record.event for record in read(db, "t", 0, 100_000)]
    assert status(db) == "completed"
    db.close()
    succeeded = {
        f"line-{event.result.tool_use_id[1:]}"
        for event in events
        if isinstance(event, ToolFinished)
        and event.result.tool_use_id.startswith("w")
        and not event.result.is_error
    }
    assert succeeded <= set(lines)
    finished = [e.result.tool_use_id for e in events if isinstance(e, ToolFinished)]
    assert len(finished) == len(set(finished))
    assert problems(closed_messages(events)) == []


def count_requests(folder: Path) -> int:
    log = folder / "requests.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def refused_requests(folder: Path) -> list[str]:
    lines = (folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(problem) for line in lines if (problem := json.loads(line)["problem"])]


@pytest.mark.timeout(180)
@pytest.mark.requirement("agent:history:resume")
def test_a_task_killed_at_sixty_points_finishes(tmp_path: Path, drivers: Drivers) -> None:
    chance = random.Random(7)
    killed_at: list[int] = []
    with model_server(tmp_path, 30) as url:
        new_task(tmp_path, url)
        state = tmp_path / "state"
        db = connect(state / "tasks.sqlite3", write=False)
        before: list[tuple[int, str]] = []
        while status(db) != "completed":
            records = last_seq(db) + chance.randint(1, 4)
            requests = count_requests(tmp_path) + 1 if chance.random() < 0.3 else 10**6
            pid = drivers.start()
            while last_seq(db) < records and status(db) != "completed":
                assert status(db) != "failed", stored(state)[-1]
                if count_requests(tmp_path) >= requests:
                    break  # into the reply
                time.sleep(0.0005)
            time.sleep(chance.choice((0, 0.002, 0.005, 0.01, 0.02, 0.04)))
            with suppress(ProcessLookupError):  # the last one may be done
                os.kill(pid, signal.SIGKILL)
            drivers.wait()
            now = stored(state)
            assert now[: len(before)] == before, "a stored record changed or went missing"
            before = now
            killed_at.append(len(now))
        db.close()
        assert len(set(killed_at)) >= 60, len(set(killed_at))
        check_outcome(state, tmp_path / "workspace")
        assert refused_requests(tmp_path) == []
        # Kills fell into replies (asked again) and into commands (closed, not repeated).
        assert count_requests(tmp_path) > 30 + 3
        assert sum("interrupted while it ran" in body for _, body in before) >= 5


@pytest.mark.timeout(120)
def test_a_crash_image_taken_at_any_moment_can_be_continued(
    tmp_path: Path, drivers: Drivers
) -> None:
    chance = random.Random(11)
    images: list[Path] = []
    with model_server(tmp_path, 12) as url:
        new_task(tmp_path, url)
        pid = drivers.start()
        db = connect(tmp_path / "state" / "tasks.sqlite3", write=False)
        reached = last_seq(db)
        while status(db) != "completed" and len(images) < 10:
            while last_seq(db) < reached + 5 and status(db) != "completed":
                time.sleep(0.0005)
            reached = last_seq(db)
            time.sleep(chance.random() * 0.01)
            os.kill(pid, signal.SIGSTOP)  # the disk as it is at one moment
            image = tmp_path / f"image{len(images)}"
            shutil.copytree(tmp_path / "state", image / "state")
            if (tmp_path / "workspace" / "out.txt").exists():
                shutil.copytree(tmp_path / "workspace", image / "workspace")
            os.kill(pid, signal.SIGCONT)
            images.append(image)
        drivers.wait()
        db.close()
        assert len(images) >= 8
        for image in images:
            if (image / "workspace").exists():
                go_on_from(image, tmp_path, drivers)
        assert refused_requests(tmp_path) == []


def go_on_from(image: Path, tmp_path: Path, drivers: Drivers) -> None:
    """Put the image in place of the original and drive it on."""
    before = stored(image / "state")
    shutil.rmtree(tmp_path / "workspace")
    shutil.copytree(image / "workspace", tmp_path / "workspace")
    drivers.start(image / "state")
    assert drivers.wait() == 0
    assert stored(image / "state")[: len(before)] == before
    check_outcome(image / "state", tmp_path / "workspace")
