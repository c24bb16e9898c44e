"""TaskHost: the one object every front end holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Protocol

from roo_code.commands import Command, StartTask
from roo_code.events import EventRecord, RunEnded, RunParked
from roo_code.task.artifacts import TaskArtifacts
from roo_code.task.hidden_keys import without_keys
from roo_code.task.live import LiveRecords
from roo_code.task.store import TaskQuery, TaskStore, TaskSummary

_POLL_SECONDS = 0.05
_CLOCK_SLACK = 2.0
"""Seconds between a record's time and its commit, at the most."""
_PAGE = 200


class Host(Protocol):
    """Commands in, records out. Here or in another process: callers cannot tell."""

    async def handle(self, command: Command) -> None: ...

    def follow(self, task_id: str, after: int = 0) -> AsyncGenerator[EventRecord]: ...


class Executor(Protocol):
    """Sees to it that a task with something to do is driven, by one driver."""

    async def wake(self, task_id: str) -> None: ...


class TaskHost:
    def __init__(
        self, store: TaskStore, executor: Executor, live: LiveRecords, artifacts: Path
    ) -> None:
        self.store = store
        self._executor = executor
        self._live = live
        self._artifacts = artifacts
        self._watching: asyncio.Task[None] | None = None

    async def handle(self, command: Command) -> None:
        """Make the command durable, then see that it is acted on; a repeat is harmless."""
        command = without_keys(command)
        if isinstance(command, StartTask):
            await self.store.create(command.task_id, command.spec)
        else:
            await self.store.send(command)
        await self._executor.wake(command.task_id)

    async def follow(self, task_id: str, after: int = 0) -> AsyncGenerator[EventRecord]:
        """What came after `after`, then what comes, for as long as the caller listens.

        A task driven in this process is seen with its deltas; one driven elsewhere, as stored.
        """
        with self._live.follow(task_id) as follower:
            self._watch_store()
            seen = after
            while True:
                for record in follower.take():
                    if record.seq > seen + record.event.durable:
                        follower.is_behind = True  # some are missing in between
                        break
                    if record.seq == seen + record.event.durable:
                        seen = record.seq
                        yield record
                if follower.is_behind:
                    follower.is_behind = False
                    while page := await self.store.read(task_id, seen, _PAGE):
                        for record in page:
                            seen = record.seq
                            yield record
                else:
                    await follower.wait()

    def _watch_store(self) -> None:
        """One look at the store serves all followers, for as long as there are any."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._tell_of_changes())

    async def _tell_of_changes(self) -> None:
        mark = -1
        since = time.time()
        while self._live.has_followers:
            if (newest := await self.store.change_mark()) != mark:
                mark, before, since = newest, since, time.time()
                changed = await self.store.changed_since(before - _CLOCK_SLACK)
                self._live.tell_of_changes(changed)
            await asyncio.sleep(_POLL_SECONDS)

    async def tasks(self, query: TaskQuery) -> list[TaskSummary]:
        return await self.store.summaries(query)

    def artifacts(self, task_id: str) -> TaskArtifacts:
        return TaskArtifacts(self._artifacts / task_id)

    async def delete(self, task_id: str) -> None:
        await self.store.summary(task_id)  # says so if there is no such task
        await self.store.delete(task_id)
        self.artifacts(task_id).delete()


async def until_pause(records: AsyncIterator[EventRecord]) -> AsyncGenerator[EventRecord]:
    """Up to and with the record that ends or parks the run."""
    async for record in records:
        yield record
        if isinstance(record.event, RunEnded | RunParked):
            return
