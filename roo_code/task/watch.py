"""Records of a task and its subtasks in one stream, which never stays silent for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from types import TracebackType

from roo_code.events import EventRecord, SubtaskStarted
from roo_code.task.host import Host

_POLL_SECONDS = 0.2


class Watch:
    """Of subtasks only what is stored is told: several may run at once, and speak at once."""

    def __init__(self, host: Host, failure: Callable[[str], BaseException | None]) -> None:
        self._host = host
        self._failure = failure
        """Why this process could not drive a task, if so."""
        self._pumps: dict[str, asyncio.Task[None]] = {}
        # One at a time: a slow screen makes the live records behind it join, not pile up.
        self._queue: asyncio.Queue[EventRecord | None] = asyncio.Queue(maxsize=1)

    async def __aenter__(self) -> Watch:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for pump in self._pumps.values():
            pump.cancel()
        await asyncio.gather(*self._pumps.values(), return_exceptions=True)

    def add(self, task_id: str, after: int = 0) -> None:
        if task_id not in self._pumps:
            self._pumps[task_id] = asyncio.create_task(
                self._pump(task_id, after, is_main=not self._pumps)
            )

    def wake(self) -> None:
        """Let whoever waits for a record look around."""
        with suppress(asyncio.QueueFull):
            self._queue.put_nowait(None)

    async def next(self) -> EventRecord | None:
        """The next record; None after a while without one.

        Raises:
            Exception: What keeps this process from driving or reading a task.
        """
        if self._queue.empty():
            try:
                async with asyncio.timeout(_POLL_SECONDS):
                    record = await self._queue.get()
            except TimeoutError:
                self._raise_failure()
                return None
        else:
            record = self._queue.get_nowait()
        if record is not None and isinstance(record.event, SubtaskStarted):
            self.add(record.event.subtask_id)
        return record

    async def _pump(self, task_id: str, after: int, *, is_main: bool) -> None:
        async with aclosing(self._host.follow(task_id, after)) as records:
            async for record in records:
                if is_main or record.event.durable:
                    await self._queue.put(record)

    def _raise_failure(self) -> None:
        for task_id, pump in self._pumps.items():
            failure = pump.exception() if pump.done() else self._failure(task_id)
            if failure is not None:
                raise failure
