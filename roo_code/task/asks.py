"""What a task waits for, parked or while a call runs, told by the end of its log."""

from __future__ import annotations

from collections.abc import Sequence

from roo_code.approval_values import ApprovalRule
from roo_code.events import (
    ApprovalRequested,
    Event,
    EventRecord,
    MessageAdded,
    QuestionAsked,
    RunParked,
    SubtaskStarted,
    Suggestion,
    Waiting,
)
from roo_code.history import History
from roo_code.task.store import TaskStore
from roo_code.values import Value

_PAGE = 64


class Ask(Value):
    """One thing waited for, with what a person needs to decide."""

    waiting: Waiting
    about: ApprovalRequested | QuestionAsked | SubtaskStarted

    @property
    def id(self) -> str:
        return self.waiting.tool_use_id

    @property
    def wants_decision(self) -> bool:
        """Whether it is answered with yes or no: a call, or to go on beyond a limit."""
        return self.waiting.kind in ("approval", "limit")

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        return self.about.suggestions if isinstance(self.about, QuestionAsked) else ()

    @property
    def rule(self) -> ApprovalRule | None:
        """What a yes to more than this call would cover."""
        return self.about.rule if isinstance(self.about, ApprovalRequested) else None


def may_ask(event: Event) -> bool:
    """Whether something may be open after the event: the run is parked, or a running call asks."""
    return isinstance(event, RunParked) or (isinstance(event, QuestionAsked) and event.is_live)


async def open_asks(store: TaskStore, task_id: str) -> list[Ask]:
    """Only the last turn is read: whatever waits was asked in it."""
    records = await _last_turn(store, task_id)
    history = History(record.event for record in records)
    if history.ended is not None:
        return []
    asked = {
        _call_id(record.event): record.event
        for record in records
        if isinstance(record.event, ApprovalRequested | QuestionAsked | SubtaskStarted)
    }
    parked = [Ask(waiting=w, about=asked[w.tool_use_id]) for w in history.waiting_for]
    live = history.live_questions
    driver = await store.driver(task_id) if live else None
    return parked + [
        Ask(waiting=Waiting(kind="question", tool_use_id=id), about=question)
        for id, question in live.items()
        if question.driver == driver  # else the call that asked runs no more
    ]


async def _last_turn(store: TaskStore, task_id: str) -> Sequence[EventRecord]:
    """From the model's last reply on."""
    size = _PAGE
    while True:
        records = await store.tail(task_id, size)
        for place in range(len(records) - 1, -1, -1):
            event = records[place].event
            if isinstance(event, MessageAdded) and event.message.role == "assistant":
                return records[place:]
        if len(records) < size:
            return records
        size *= 4


def _call_id(event: ApprovalRequested | QuestionAsked | SubtaskStarted) -> str:
    return event.call.id if isinstance(event, ApprovalRequested) else event.tool_use_id
