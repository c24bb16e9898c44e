"""OpenedTask: one task that clients hear of, and what they said while it was busy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing

from msgspec import Struct

from roo_code.commands import AnswerQuestion, Command, RespondToApproval, SendMessage
from roo_code.events import (
    EventRecord,
    MessageAdded,
    RunCancelled,
    RunCompleted,
    RunEnded,
    RunParked,
    TurnStarted,
)
from roo_code.ipc.cline_message import QueuedMessage
from roo_code.ipc.images import to_data_uris
from roo_code.ipc.task_view import TaskView, Waiting
from roo_code.ipc.wire import TaskEvent
from roo_code.messages import ImageContent
from roo_code.task.host import TaskHost

_YES = frozenset({"y", "yes"})


class Pace(Struct, frozen=True):
    partial_seconds: float = 0.03
    """Between two updates of messages that grow; each holds all of the text."""
    status_seconds: float = 2.0
    """How long a task waits before that is told."""


class OpenedTask:
    def __init__(
        self,
        task_id: str,
        host: TaskHost,
        publish: Callable[[TaskEvent], None],
        hear: Callable[[EventRecord], None],
        pace: Pace,
    ) -> None:
        self.id = task_id
        self.evaluation: int | None = None
        """The task's number in an evaluation; its events carry it."""
        self._host = host
        self._hear = hear
        """Whoever must know of the record, after it was told."""
        self._publish = publish
        self._pace = pace
        self._view = TaskView(task_id)
        self._queue: list[SendMessage] = []
        self._flushing: asyncio.TimerHandle | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._waits: Waiting | None = None
        self._told_waits = False
        self._seen = 0
        self._moved = asyncio.Event()
        self._caught_up = asyncio.Event()
        self._over = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def follow(self, quiet_until: int = 0) -> None:
        """Tell what happens; what is numbered up to `quiet_until` is known already."""
        if quiet_until == 0:
            self._caught_up.set()
        self._following = asyncio.create_task(self._follow(quiet_until))

    async def reopen(self) -> None:
        """Say where the task stands, once all of it is read."""
        await self._caught_up.wait()
        for event in self._view.reopen(_now()):
            self._tell(event)
        self._watch_waits()

    async def catch_up(self) -> None:
        """Until all is told that is stored by now."""
        last = (await self._host.store.summary(self.id)).last_seq
        while self._seen < last:
            self._moved.clear()
            await self._moved.wait()

    async def until_over(self) -> None:
        await self._over.wait()

    async def say(self, text: str, images: tuple[ImageContent, ...]) -> None:
        """An answer to what is asked, else a message: heard at once, or when the task can."""
        if self._view.open_asks:
            await self._host.handle(self._decision(self._view.open_asks[0], text))
            return
        if asked := self._view.live_question:
            command = AnswerQuestion(task_id=self.id, tool_use_id=asked, answer=text, images=images)
            await self._host.handle(command)
            return
        self._queue.append(SendMessage(task_id=self.id, text=text, images=images))
        if self._view.is_busy:
            self._tell_queue()
        else:
            await self._deliver()

    def _decision(self, call_id: str, text: str) -> Command:
        """Roo has no command for a yes; any other words are a no, with the reason."""
        is_yes = text.strip().lower() in _YES
        return RespondToApproval(
            task_id=self.id, tool_use_id=call_id, approved=is_yes, feedback="" if is_yes else text
        )

    def unsay(self, message_id: str) -> bool:
        """Take a message back that was not heard yet."""
        left = [message for message in self._queue if message.command_id != message_id]
        if len(left) == len(self._queue):
            return False
        self._queue = left
        self._tell_queue()
        return True

    async def aclose(self) -> None:
        """Hear of the task no more. What was said to it is not lost."""
        for timer in (self._flushing, self._telling):
            if timer is not None:
                timer.cancel()
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        for message in self._queue:
            await self._host.store.send(message)
        self._queue.clear()

    async def _follow(self, quiet_until: int) -> None:
        async with aclosing(self._host.follow(self.id)) as records:
            async for record in records:
                events = self._view.show(record)
                self._note_end(record)
                if self._caught_up.is_set():
                    for event in events:
                        self._tell(event)
                    self._schedule_flush()
                    self._watch_waits()
                    self._hear(record)
                    await self._look_at_queue(record)
                elif record.seq >= quiet_until:
                    self._view.flush()
                    self._caught_up.set()
                self._seen = record.seq
                self._moved.set()

    def _note_end(self, record: EventRecord) -> None:
        if isinstance(record.event, RunEnded):
            self._over.set()
        elif isinstance(record.event, TurnStarted):
            self._over.clear()

    async def _look_at_queue(self, record: EventRecord) -> None:
        """Say what waits where it will be heard next; a cancelled task is not begun anew by it."""
        match record.event:
            case RunCancelled() if self._queue:
                self._queue.clear()
                self._tell_queue()
            case MessageAdded(message=message) if message.role == "assistant":
                await self._deliver()
            case RunCompleted():
                await self._deliver()
            case RunParked() if self._view.has_question:
                await self._deliver(1)
            case _:
                pass

    async def _deliver(self, most: int | None = None) -> None:
        if self._queue and (most is None or most > 0):
            now, self._queue = self._queue[:most], self._queue[len(self._queue[:most]) :]
            for message in now:
                await self._host.handle(message)
            self._tell_queue()

    def _tell_queue(self) -> None:
        queue = [
            QueuedMessage(
                timestamp=_now(), id=m.command_id, text=m.text, images=to_data_uris(m.images)
            )
            for m in self._queue
        ]
        self._tell(TaskEvent(event_name="queuedMessagesUpdated", payload=(self.id, queue)))

    def _schedule_flush(self) -> None:
        if self._view.has_news and self._flushing is None:
            loop = asyncio.get_running_loop()
            self._flushing = loop.call_later(self._pace.partial_seconds, self._flush)

    def _flush(self) -> None:
        self._flushing = None
        for event in self._view.flush():
            self._tell(event)

    def _watch_waits(self) -> None:
        """A wait is told if it lasts; that the task goes on, if its wait was told."""
        if self._view.waits == self._waits:
            return
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        self._waits = self._view.waits
        if self._waits is not None:
            loop = asyncio.get_running_loop()
            self._telling = loop.call_later(self._pace.status_seconds, self._tell_waits)
        elif self._told_waits:
            self._told_waits = False
            self._tell(TaskEvent(event_name="taskActive", payload=(self.id,)))

    def _tell_waits(self) -> None:
        assert self._waits is not None
        self._told_waits = True
        self._tell(TaskEvent(event_name=self._waits, payload=(self.id,)))

    def _tell(self, event: TaskEvent) -> None:
        if self.evaluation is not None:
            event = TaskEvent(
                event_name=event.event_name, payload=event.payload, task_id=self.evaluation
            )
        self._publish(event)


def _now() -> int:
    return round(time.time() * 1000)
