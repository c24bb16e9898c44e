"""EventLog: numbers what happens, makes it durable, and shows it in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from roo_code.events import Event, EventRecord
from roo_code.task.store import Lease, TaskStore


class EventLog:
    """The writing end of a task's log; held by the one process that drives the task.

    `append` does not wait: records go to disk in order behind it. `flush` waits until all of
    them are there. Followers see a stored event only after it is durable, so what they saw
    can never be undone by a crash; deltas in between keep their place.
    """

    def __init__(
        self, store: TaskStore, lease: Lease, last_seq: int, publish: Callable[[EventRecord], None]
    ) -> None:
        self._store = store
        self._lease = lease
        self._seq = last_seq
        self._publish = publish
        self._unseen: deque[tuple[EventRecord, asyncio.Future[None] | None]] = deque()
        self._last_write: asyncio.Future[None] | None = None

    @property
    def task_id(self) -> str:
        return self._lease.task_id

    def append(self, event: Event, consumed: Sequence[str] = ()) -> EventRecord:
        written: asyncio.Future[None] | None = None
        if event.durable:
            self._seq += 1
        record = EventRecord(task_id=self.task_id, seq=self._seq, at=datetime.now(UTC), event=event)
        if event.durable:
            written = self._store.append(self._lease, [record], consumed)
            self._last_write = written
        self._unseen.append((record, written))
        if written is not None:
            written.add_done_callback(self._show)
        elif len(self._unseen) == 1:
            self._show()
        return record

    def consume(self, command_ids: Sequence[str]) -> None:
        """Commands that changed nothing and need not be looked at again."""
        self._last_write = self._store.append(self._lease, [], command_ids)

    async def flush(self) -> None:
        """Wait until everything appended is on disk; raises what kept it from getting there."""
        if self._last_write is not None:
            await asyncio.shield(self._last_write)

    def _show(self, _: object = None) -> None:
        while self._unseen:
            record, written = self._unseen[0]
            if written is not None:
                if not written.done():
                    return
                if written.cancelled() or written.exception() is not None:
                    self._unseen.popleft()  # never stored, so never shown
                    continue
            self._unseen.popleft()
            self._publish(record)
