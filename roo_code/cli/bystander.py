"""The stored tasks for a command that drives none of them."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from roo_code.config.paths import state_folder
from roo_code.errors import TaskNotFound, UserFacingError
from roo_code.events import TaskSpec
from roo_code.messages import Value
from roo_code.task import leases
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.schema import connect, unavailable
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import TaskSummary

SHORTEST_PREFIX = 4


class _Settled(Value):
    spec: TaskSpec


class NoDriver:
    """Leaves a task to the process that drives it, which hears of every command by itself."""

    async def wake(self, task_id: str) -> None:
        pass


@dataclass(frozen=True)
class Tasks:
    host: TaskHost
    store: SqliteTaskStore
    _reader: sqlite3.Connection

    async def find(self, wanted: str) -> TaskSummary:
        """The task with this id, or the one whose id begins so."""
        ids = self._ids(wanted)
        if len(ids) == 1 or wanted in ids:
            return await self.store.summary(wanted if wanted in ids else ids[0])
        if ids:
            raise UserFacingError(
                f"Several tasks begin with {wanted!r}: {', '.join(ids[:3])}, ...",
                hint="Give more of the id.",
            )
        raise TaskNotFound(wanted)

    def _ids(self, prefix: str) -> list[str]:
        """At most a few: the range uses the index, however many tasks there are."""
        end = prefix + "\U0010ffff" if len(prefix) >= SHORTEST_PREFIX else prefix
        try:
            rows = self._reader.execute(
                "SELECT id FROM tasks WHERE id >= ? AND id <= ? ORDER BY id LIMIT 4", (prefix, end)
            ).fetchall()
        except sqlite3.Error as error:
            raise unavailable(error, self.store.path) from error
        return [row[0] for row in rows]

    def spec(self, task_id: str) -> TaskSpec:
        """The settings the task has now, without reading all of its log."""
        row = self._reader.execute(
            "SELECT body FROM events WHERE task_id = ? AND type IN ('task_created', 'spec_changed')"
            " ORDER BY seq DESC LIMIT 1",
            (task_id,),
        ).fetchone()
        if row is None:
            raise TaskNotFound(task_id)
        return _Settled.model_validate_json(row[0]).spec

    def is_driven(self, task_id: str) -> bool:
        """Whether a live process works on the task now."""
        return leases.is_held(self._reader, task_id, time.time())


@asynccontextmanager
async def open_tasks() -> AsyncGenerator[Tasks]:
    """Commands sent through this host are stored and left to whoever drives the task."""
    folder = state_folder()
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    try:
        reader = connect(store.path, write=False)
        try:
            host = TaskHost(store, NoDriver(), LiveRecords(), folder / "artifacts")
            yield Tasks(host, store, reader)
        finally:
            reader.close()
    finally:
        await store.aclose()
