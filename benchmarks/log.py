"""log: how fast events become durable, and how fast a task comes back from them."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.endpoint import Endpoint
from benchmarks.places import OUR_BIN, ROOT, clean_environment, home, scratch
from benchmarks.process import CommandFailed, run
from benchmarks.report import Column, Table
from benchmarks.stored_tasks import events, store_task, task_spec
from roo_code.commands import new_id
from roo_code.events import EventRecord
from roo_code.task.log import EventLog
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import TaskQuery

_PERSISTED = 1_000
_STORED_TASKS = 10_000
_RUNS = 9


def measure(endpoint: Endpoint) -> list[Table]:
    return [_persist(), _recover(), _parked(), _list()]


def _timed(work: Callable[[Path], Coroutine[Any, Any, float]]) -> float:
    """The middle of a few runs, each in a folder of its own."""
    seconds: list[float] = []
    for _ in range(_RUNS):
        with scratch() as folder:
            seconds.append(asyncio.run(work(folder)))
    return median(seconds)


def _persist() -> Table:
    table = Table(
        "log: events made durable",
        (
            Column("how", "how"),
            Column("rate", "events/s", 0),
            Column("ms", "ms an event", 3),
            Column("ratio", "/ floor"),
        ),
        notes=[
            f"{_PERSISTED} events of 4.6 KB; the floor is a bare commit of the same bytes in SQLite"
        ],
    )
    floor = "bare SQLite, one commit an event"
    for how, seconds in (
        (floor, _timed(_commit_bare)),
        ("one barrier an event", _timed(lambda folder: _append(folder, barriers=True))),
        ("one barrier at the end", _timed(lambda folder: _append(folder, barriers=False))),
    ):
        table.add(how, rate=_PERSISTED / seconds, ms=seconds / _PERSISTED * 1000)
    table.add_ratio("ratio", "ms", floor)
    table.notes.append("OpenHands SDK publishes 0.166 ms an event, without waiting for the disk")
    return table


async def _append(folder: Path, *, barriers: bool) -> float:
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    lease = await store_task(store, "task", 2)
    log = EventLog(store, lease, 2, _ignore)
    appended = events(_PERSISTED)
    started = time.perf_counter()
    for event in appended:
        log.append(event)
        if barriers:
            await log.flush()
    await log.flush()
    seconds = time.perf_counter() - started
    await store.aclose()
    return seconds


def _ignore(record: EventRecord) -> None:
    """Nobody follows."""


async def _commit_bare(folder: Path) -> float:
    bodies = [event.to_json() for event in events(_PERSISTED)]
    db = sqlite3.connect(folder / "bare.sqlite3", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    started = time.perf_counter()
    for body in bodies:
        db.execute("INSERT INTO events (body) VALUES (?)", (body,))
    seconds = time.perf_counter() - started
    db.close()
    return seconds


def _recover() -> Table:
    table = Table(
        "log: from opening the store to a task that is ready to go on",
        (
            Column("events", "events", 0),
            Column("ms", "ms", 1),
            Column("first", "ms, first in the process", 1),
            Column("ratio", "/ OpenHands SDK"),
        ),
        notes=[
            f"median of {_RUNS}; each opens a copy of the file, takes the lease, reads and folds "
            "all events and makes the agent",
            "OpenHands SDK publishes 57.5 ms for 1,000 events of the same size, on its machine",
        ],
    )
    for count, published in ((1_000, 57.5), (10_000, None)):
        with scratch() as folder:
            asyncio.run(_make_task(folder, count))
            told = _ask("recovery", folder, str(_RUNS))
        first, *others = told["milliseconds"]
        middle = median(others)
        ratio = middle / published if published else None
        table.add(f"{count:,}", ms=middle, first=first, ratio=ratio)
    return table


async def _make_task(folder: Path, count: int) -> None:
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    lease = await store_task(store, "task", count)
    await store.release(lease)
    await store.aclose()


def _ask(module: str, *arguments: str | Path) -> dict[str, Any]:
    """What another module measured in a fresh process of its own."""
    command = (sys.executable, "-m", f"benchmarks.{module}", *arguments)
    return json.loads(run(command, cwd=ROOT, env=clean_environment(), timeout=600).output)


def _parked() -> Table:
    table = Table(
        "log: 1,000 open parked tasks in one host",
        (
            Column("state", "state"),
            Column("mb", "RSS MB", 1),
            Column("kb", "KB a task", 1),
            Column("cpu", "CPU % at rest", 1),
        ),
    )
    told = _ask("parked", "1000")
    empty = told["empty"]["bytes"]
    for state, found in told.items():
        each = (found["bytes"] - empty) / 1000 / 1000 if state != "empty" else None
        table.add(state, mb=found["bytes"] / 1e6, kb=each, cpu=found["cpu"] * 100)
    return table


def _list() -> Table:
    table = Table(
        f"log: the first page of {_STORED_TASKS:,} stored tasks",
        (Column("what", "what"), Column("few", "10 tasks", 1), Column("many", "10,000 tasks", 1)),
    )
    few, many = _listed(10), _listed(_STORED_TASKS)
    for what in few:
        table.add(what, few=few[what], many=many[what])
    return table


def _listed(count: int) -> dict[str, float]:
    folder = home(f"list-{count}")
    asyncio.run(_store_tasks(folder / "state" / "tasks.sqlite3", count))
    page = asyncio.run(_read_page(folder / "state" / "tasks.sqlite3"))
    env = clean_environment(ROO_HOME=str(folder))
    command = (OUR_BIN / "roo", "tasks", "list")
    try:
        runs = [run(command, cwd=folder, env=env) for _ in range(_RUNS + 1)][1:]
        sampled = [run(command, cwd=folder, env=env, sample=True) for _ in range(3)]
    finally:
        shutil.rmtree(folder)
    return {
        "store.summaries, ms": page * 1000,
        "roo tasks list, ms": median(done.seconds for done in runs) * 1000,
        "roo tasks list, peak MB": median(done.peak_bytes for done in sampled) / 1e6,
    }


async def _store_tasks(path: Path, count: int) -> None:
    store = SqliteTaskStore(path)
    for begin in range(0, count, 500):
        numbers = range(begin, min(begin + 500, count))
        await asyncio.gather(*(store.create(new_id(), task_spec(n)) for n in numbers))
    await store.aclose()


async def _read_page(path: Path) -> float:
    store = SqliteTaskStore(path)
    seconds: list[float] = []
    for _ in range(20):
        started = time.perf_counter()
        page = await store.summaries(TaskQuery())
        seconds.append(time.perf_counter() - started)
        if not page:
            raise CommandFailed(f"no tasks in {path}")
    await store.aclose()
    return median(seconds)
