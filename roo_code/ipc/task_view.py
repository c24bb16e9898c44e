"""A task's records as the events of Roo's protocol. What becomes of a record stands in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    EventRecord,
    MessageAdded,
    ModeSwitched,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    TurnStarted,
)
from roo_code.ipc.cline_message import MessageChange
from roo_code.ipc.cline_messages import ClineMessages
from roo_code.ipc.drafts import Change
from roo_code.ipc.usage_count import UsageCount
from roo_code.ipc.wire import TaskEvent

Waiting: TypeAlias = Literal["taskInteractive", "taskResumable", "taskIdle"]
WAITS: Mapping[type[Event], Waiting | None] = {
    RunCompleted: "taskIdle",
    RunFailed: "taskIdle",
    RunCancelled: "taskResumable",
    TurnStarted: None,
    ApprovalDecided: None,
    QuestionAnswered: None,
    SubtaskEnded: None,
}
"""What a task is said to be once nobody has gone on with it for a while; None: it goes on."""


class TaskView:
    """Give it every record of one task in order."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id
        self.waits: Waiting | None = None
        """What the task waits for, by Roo's name for it."""
        self.is_busy = True
        self.open_asks: list[str] = []
        """Calls that wait for a person's yes or no."""
        self.has_question = False
        self.live_question = ""
        """What a call asks that goes on running meanwhile."""
        self._messages = ClineMessages()
        self._usage = UsageCount()
        self._told_usage = (self._usage.tokens, self._usage.tools)
        self._is_subtask = False
        self._is_started = False

    @property
    def has_news(self) -> bool:
        return self._messages.has_news

    def flush(self) -> list[TaskEvent]:
        """Messages that have grown since."""
        return [self._message(change) for change in self._messages.flush()]

    def reopen(self, now: int) -> list[TaskEvent]:
        """The task is opened anew, as it stands, and nobody drives it."""
        self.is_busy = False
        self.live_question = ""
        self.waits = self.waits or "taskResumable"
        return [self._message(change) for change in self._messages.reopen(now)]

    def show(self, record: EventRecord) -> list[TaskEvent]:
        """What the record is on the wire; pieces of a message wait for `flush`."""
        event = record.event
        changed = self._usage.note(event)
        self._note_waits(event)
        shown = [self._message(change) for change in self._messages.show(record)]
        before = [self._event(name) for name in self._before(event)]
        return [*before, *shown, *self._after(event, usage_changed=changed)]

    def _before(self, event: Event) -> Iterator[str]:
        if isinstance(event, TaskCreated):
            self._is_subtask = event.spec.parent is not None
            yield "taskCreated"
            yield "taskFocused"
        elif isinstance(event, TurnStarted) and not self._is_started:
            self._is_started = True
            yield "taskStarted"

    def _after(self, event: Event, *, usage_changed: bool) -> Iterator[TaskEvent]:
        if usage_changed:
            yield from self._usage_event()
        if self._usage.failed is not None:
            yield self._event("taskToolFailed", *self._usage.failed)
        if isinstance(event, RunCompleted | RunCancelled):
            yield from self._usage_event()
        if isinstance(event, RunCompleted):
            last = {"isSubtask": self._is_subtask}
            yield self._event("taskCompleted", self._usage.tokens, self._usage.tools, last)
        for name, payload in _TOLD.get(type(event), _nothing)(event):
            yield self._event(name, *payload)

    def _usage_event(self) -> Iterable[TaskEvent]:
        now = (self._usage.tokens, self._usage.tools)
        if now != self._told_usage:
            self._told_usage = now
            yield self._event("taskTokenUsageUpdated", *now)

    def _note_waits(self, event: Event) -> None:
        match event:
            case ApprovalRequested(call=call):
                self.open_asks.append(call.id)
            case ApprovalDecided(tool_use_id=id) if id in self.open_asks:
                self.open_asks.remove(id)
            case QuestionAsked() | QuestionAnswered():
                self._note_question(event)
            case RunParked(waiting_for=waiting_for):
                for_person = any(wait.kind != "subtask" for wait in waiting_for)
                self.waits = "taskInteractive" if for_person else None
                self.is_busy = not for_person
            case MessageAdded(message=message) if message.role == "user":
                self.waits, self.is_busy = None, True
            case _ if type(event) in WAITS:
                self.waits = WAITS[type(event)]
                self.is_busy = self.waits is None
                if isinstance(event, RunCompleted | RunFailed | RunCancelled):
                    self.open_asks, self.has_question, self.live_question = [], False, ""
            case _:
                pass

    def _note_question(self, event: QuestionAsked | QuestionAnswered) -> None:
        match event:
            case QuestionAsked(limit=limit) if limit is not None:
                self.open_asks.append(event.tool_use_id)
            case QuestionAsked(tool_use_id=id) if event.is_live:
                self.live_question, self.waits = id, "taskInteractive"
            case QuestionAnswered(tool_use_id=id) if id == self.live_question:
                self.live_question, self.waits = "", None
            case _:
                self.has_question = isinstance(event, QuestionAsked)

    def _message(self, change: Change) -> TaskEvent:
        told = MessageChange(task_id=self.task_id, action=change.action, message=change.message)
        return TaskEvent(event_name="message", payload=(told,))

    def _event(self, name: str, *payload: Any) -> TaskEvent:
        return TaskEvent(event_name=name, payload=(self.task_id, *payload))


_Payloads: TypeAlias = Iterable[tuple[str, tuple[Any, ...]]]


def _nothing(event: Any) -> _Payloads:
    return ()


def _started(event: SubtaskStarted) -> _Payloads:
    yield "taskSpawned", (event.subtask_id,)
    yield "taskDelegated", (event.subtask_id,)
    yield "taskPaused", ()


def _ended(event: SubtaskEnded) -> _Payloads:
    yield "taskDelegationCompleted", (event.subtask_id, event.result)
    yield "taskUnpaused", ()
    yield "taskDelegationResumed", (event.subtask_id,)


_TOLD: Mapping[type, Callable[[Any], _Payloads]] = {
    ModeSwitched: lambda event: [("taskModeSwitched", (event.mode,))],
    ApprovalDecided: lambda event: [("taskAskResponded", ())],
    QuestionAnswered: lambda event: [("taskAskResponded", ())],
    SubtaskStarted: _started,
    SubtaskEnded: _ended,
    RunCancelled: lambda event: [("taskAborted", ())],
}
"""Each payload begins with the task's id, and goes on with what is here."""
