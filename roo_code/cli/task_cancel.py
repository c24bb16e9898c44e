"""End a task, whoever drives it; here if nobody does."""

from __future__ import annotations

import asyncio
import time
from typing import NoReturn

from roo_code.cli.bystander import Tasks
from roo_code.commands import CancelTask
from roo_code.errors import LeaseLost, UserFacingError
from roo_code.execution.local import LocalExecutor
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.store import ENDED, TaskQuery, TaskStore, TaskSummary
from roo_code.task.task import TaskSetup

_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.05


class EndingExecutor(LocalExecutor):
    """Takes the lease of a task that is to end, and of no other; never works on one."""

    def __init__(self, store: TaskStore) -> None:
        super().__init__(store, _never, LiveRecords())
        self._inboxes = store

    async def wake(self, task_id: str) -> None:
        if any(isinstance(c, CancelTask) for c in await self._inboxes.inbox(task_id)):
            await super().wake(task_id)


def _never(setup: TaskSetup) -> NoReturn:
    raise LeaseLost(setup.task_id)  # left to a process that wants to drive it


async def cancel(tasks: Tasks, task: TaskSummary, reason: str) -> TaskSummary:
    """Returns when the task and all below it have ended."""
    executor = EndingExecutor(tasks.store)
    host = TaskHost(tasks.store, executor, LiveRecords(), tasks.host.artifacts(task.id).folder)
    try:
        await host.handle(CancelTask(task_id=task.id, reason=reason))
        until = time.monotonic() + _PATIENCE_SECONDS
        while open_tasks := await _not_ended(tasks.store, task.id):
            for id in {task.id, *open_tasks}:
                if failure := executor.failure(id):
                    raise failure
            if time.monotonic() > until:
                raise UserFacingError(
                    f"Task {open_tasks[0]!r} has not ended yet: the process that drives it does "
                    "not react.",
                    hint="It ends as soon as that process goes on, or is gone.",
                )
            await asyncio.sleep(_POLL_SECONDS)
    finally:
        await executor.aclose()
    return await tasks.store.summary(task.id)


async def _not_ended(store: TaskStore, task_id: str) -> list[str]:
    """The task and those below it that still have to end."""
    task = await store.summary(task_id)
    found = [] if task.status in ENDED else [task.id]
    for child in await store.summaries(TaskQuery(parent=task_id, subtasks=True, limit=1000)):
        found += await _not_ended(store, child.id)
    return found
