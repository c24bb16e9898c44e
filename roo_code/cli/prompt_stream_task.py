"""The one task that a stream of commands is about, and how its course is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from roo_code.cli.report import RunReport
from roo_code.cli.session import Opening
from roo_code.cli.stream_events import JsonEvent, StreamEvents
from roo_code.commands import AnswerQuestion, CancelTask, RespondToApproval, SendMessage
from roo_code.errors import RooCodeError, explain
from roo_code.events import (
    ApprovalDecided,
    Event,
    EventRecord,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SubtaskStarted,
)
from roo_code.execution.local import LocalExecutor
from roo_code.messages import ImageContent
from roo_code.task.asks import Ask, may_ask, open_asks
from roo_code.task.host import TaskHost
from roo_code.task.watch import Watch

State: TypeAlias = Literal["running", "cancelling", "waiting", "ended"]
_LONGEST_SHOWN = 180
_YES = ("y", "yes")


class QueuedMessage(Struct, frozen=True, kw_only=True):
    """Said while the task was busy; it stands in the task's inbox, and is heard in its turn."""

    id: str
    request_id: str
    text: str
    image_count: int
    at: int

    def shown(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text[:_LONGEST_SHOWN],
            "imageCount": self.image_count,
            "timestamp": self.at,
        }


class StreamedTask:
    """Follows a task from its opening on; what happens goes to `emit` as events of the format."""

    def __init__(
        self,
        host: TaskHost,
        executor: LocalExecutor,
        events: StreamEvents,
        emit: Callable[[JsonEvent], None],
        request_id: str | None,
    ) -> None:
        self._host = host
        self._executor = executor
        self._events = events
        self._emit = emit
        self.id = ""
        self.request_id = request_id
        """The request that what happens now is the answer to."""
        self._start_id = request_id
        """The request that has not been told yet how the task ended."""
        self.state: State = "running"
        self._is_deciding = False
        """Whether the model has made calls that are neither allowed nor asked about yet."""
        self._shown: set[str] = set()
        """Calls and questions that whoever reads knows of."""
        self._queue: list[QueuedMessage] = []
        self._report = RunReport()
        self._changed = asyncio.Condition()
        self._following: asyncio.Task[None] | None = None

    @property
    def ended(self) -> RunCompleted | RunFailed | RunCancelled | None:
        return self._report.ended

    async def open(self, opening: Opening) -> None:
        """Send what opens it, and follow it from there."""
        self.id = opening.task_id
        self._report = RunReport(task_id=self.id)
        for record in opening.before:
            self._events.remember(record)
            self._report.remember(record)
        if not opening.commands:
            self.state = "ended" if opening.status != "parked" else "waiting"
        for command in opening.commands:
            await self._host.handle(command)
        await self._executor.attend(self.id)
        if self.state == "waiting":
            await self._tell_ask()
        self._following = asyncio.create_task(self._follow(opening.after))

    async def until(self, *states: State) -> None:
        """Until it is in one of these states."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.state in states)

    async def say(self, request_id: str, text: str, images: tuple[ImageContent, ...]) -> str:
        """Answer what it waits for, or say more; the code of what became of the words.

        A call is told of as soon as the model has made it: the answer to it may come before it is
        known that it needs one.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: not self._is_deciding)
        if self.state != "ended" and (ask := await self._open_ask()) is not None:
            self.request_id = request_id
            await self._answer(*ask, text, images)
            return "responded"
        command = SendMessage(task_id=self.id, text=text, images=images)
        if self.state == "ended":
            self.request_id = request_id
            code = "resumed" if isinstance(self.ended, RunCancelled) else "responded"
            self.state = "running"
            await self._host.handle(command)
            return code
        self._queue.append(
            QueuedMessage(
                id=command.command_id,
                request_id=request_id,
                text=text,
                image_count=len(images),
                at=round(time.time() * 1000),
            )
        )
        self._tell_queue("enqueued", request_id)
        await self._host.handle(command)
        return "queued"

    async def cancel(self, reason: str) -> None:
        self.state = "cancelling"
        await self._host.handle(CancelTask(task_id=self.id, reason=reason))

    async def aclose(self) -> None:
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def _open_ask(self) -> tuple[str, Ask] | None:
        """What it, or a subtask that it waits for, asks first."""
        tasks = [self.id]
        while tasks:
            task_id = tasks.pop(0)
            for ask in await open_asks(self._host.store, task_id):
                if not isinstance(ask.about, SubtaskStarted):
                    return task_id, ask
                tasks.append(ask.about.subtask_id)
        return None

    async def _tell_ask(self) -> bool:
        """Whether it asks something; shown if that was not yet, as of a task of before."""
        found = await self._open_ask()
        if found is None:
            return False
        _, ask = found
        if ask.id not in self._shown and not isinstance(ask.about, SubtaskStarted):
            self._shown.add(ask.id)
            for event in self._events.still_asked(ask.about):
                self._emit(event)
        return True

    async def _answer(
        self, task_id: str, ask: Ask, text: str, images: tuple[ImageContent, ...]
    ) -> None:
        self.state = "running"
        if ask.wants_decision:
            approved = text.strip().lower() in _YES
            feedback = "" if approved else text
            await self._host.handle(
                RespondToApproval(
                    task_id=task_id, tool_use_id=ask.id, approved=approved, feedback=feedback
                )
            )
        else:
            await self._host.handle(
                AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=text, images=images)
            )

    async def _follow(self, after: int) -> None:
        try:
            async with Watch(self._host, self._executor.failure) as watch:
                watch.add(self.id, after)
                while True:
                    record = await watch.next()
                    if record is not None:
                        await self._note(record)
        except RooCodeError as error:  # this process cannot drive or read the task
            told = explain(error)
            self._emit(self._events.fail(told))
            if self._start_id is not None:
                failed = control("error", self._start_id, "start", code="task_error")
                self._emit({**failed, "content": str(told), "success": False})
            await self._become("ended")

    async def _note(self, record: EventRecord) -> None:
        event = record.event
        if event.durable:
            await self._note_deciding(event)
        if isinstance(event, MessageAdded):
            self._shown.update(call.id for call in event.message.tool_uses)
        elif isinstance(event, QuestionAsked):
            self._shown.add(event.tool_use_id)
        self._report.note(record)
        if isinstance(event, MessageAdded | QuestionAnswered):
            self._note_heard(event)
        for shown in self._events.show(record):
            self._emit(shown)
        if record.task_id == self.id and isinstance(event, RunCompleted | RunFailed | RunCancelled):
            self._tell_end(event)
            await self._become("ended")
        elif may_ask(event):
            if await self._tell_ask():
                await self._become("waiting")
        elif record.event.durable and self.state in ("waiting", "ended"):
            await self._become("running")

    async def _note_deciding(self, event: Event) -> None:
        is_reply = isinstance(event, MessageAdded) and bool(event.message.tool_uses)
        goes_on = self._is_deciding and isinstance(event, ApprovalDecided)
        async with self._changed:
            self._is_deciding = is_reply or goes_on
            self._changed.notify_all()

    async def _become(self, state: State) -> None:
        async with self._changed:
            self.state = state
            self._is_deciding = False
            self._changed.notify_all()

    def _note_heard(self, event: MessageAdded | QuestionAnswered) -> None:
        """A message of the queue that the task has heard is in it no more."""
        if isinstance(event, MessageAdded) and event.message.role != "user":
            return
        text = event.message.text if isinstance(event, MessageAdded) else event.answer
        if self._queue and self._queue[0].text == text:
            self.request_id = self._queue.pop(0).request_id
            self._tell_queue("dequeued" if self._queue else "drained", self.request_id)

    def _tell_queue(self, subtype: str, request_id: str) -> None:
        self._emit(
            {
                "type": "queue",
                "subtype": subtype,
                "requestId": request_id,
                "taskId": self.id,
                "content": f"{len(self._queue)} waiting",
                "queueDepth": len(self._queue),
                "queue": [message.shown() for message in self._queue],
            }
        )

    def _tell_end(self, ended: RunCompleted | RunFailed | RunCancelled) -> None:
        self._emit(self._events.result(self._report))
        self._report = self._report.next_run(self.id)
        self._report.ended = ended
        if self._start_id is not None:
            request_id, self._start_id = self._start_id, None
            self._emit(
                control(
                    "done", request_id, "start",
                    code=_end_code(ended),
                    success=isinstance(ended, RunCompleted),
                    taskId=self.id,
                )
            )  # fmt: skip


def _end_code(ended: RunCompleted | RunFailed | RunCancelled) -> str:
    match ended:
        case RunCompleted():
            return "task_completed"
        case RunFailed():
            return "task_failed"
        case RunCancelled():
            return "task_aborted"


def control(subtype: str, request_id: str, command: str, **fields: Any) -> JsonEvent:
    """What became of a command."""
    event: JsonEvent = {"type": "control", "subtype": subtype, "requestId": request_id}
    event |= {"command": command, **fields}
    return {**event, "done": True} if subtype == "done" else event
