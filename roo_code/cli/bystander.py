"""The stored tasks for a command that drives none of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from roo_code.config.paths import state_folder
from roo_code.errors import TaskNotFound, UserFacingError
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import TaskSummary

SHORTEST_PREFIX = 4


class NoDriver:
    """Leaves a task to the process that drives it, which hears of every command by itself."""

    async def wake(self, task_id: str) -> None:
        pass


@dataclass(frozen=True)
class Tasks:
    host: TaskHost
    store: SqliteTaskStore

    async def find(self, wanted: str) -> TaskSummary:
        """The task with this id, or the one whose id begins so."""
        ids = await self.store.ids(wanted, 4)
        if wanted in ids:
            return await self.store.summary(wanted)
        if len(wanted) < SHORTEST_PREFIX or not ids:
            raise TaskNotFound(wanted)
        if len(ids) > 1:
            raise UserFacingError(
                f"Several tasks begin with {wanted!r}: {', '.join(ids[:3])}, ...",
                hint="Give more of the id.",
            )
        return await self.store.summary(ids[0])


@asynccontextmanager
async def open_tasks() -> AsyncGenerator[Tasks]:
    """Commands sent through this host are stored and left to whoever drives the task."""
    folder = state_folder()
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    try:
        yield Tasks(TaskHost(store, NoDriver(), LiveRecords(), folder / "artifacts"), store)
    finally:
        await store.aclose()
