"""Questions that answer themselves: with their first suggestion, once their time is over."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from roo_code.commands import AnswerQuestion
from roo_code.events import QuestionAsked
from roo_code.history import PendingCall
from roo_code.task.store import TaskStore

_LATEST = 64
"""Records among which a question is looked for that was asked just before the task parked."""


class DueAnswer(NamedTuple):
    seconds: float
    """From now."""
    command: AnswerQuestion


async def due_answer(
    store: TaskStore, task_id: str, pending: Iterable[PendingCall]
) -> DueAnswer | None:
    """What the next such question of a parked task will be answered with, and when.

    The time runs from when it was asked, whichever process waits: a restart does not lengthen it.
    """
    asked = [one.deferred for one in pending if one.waiting_for is not None]
    due = [event for event in asked if isinstance(event, QuestionAsked) and _answers_itself(event)]
    if not due:
        return None
    records = await store.tail(task_id, _LATEST)
    asked_at = {
        record.event.tool_use_id: record.at
        for record in records
        if isinstance(record.event, QuestionAsked)
    }
    now = datetime.now(UTC)

    def seconds(event: QuestionAsked) -> float:
        since = (now - asked_at.get(event.tool_use_id, now)).total_seconds()
        return max((event.answer_after or 0) - since, 0)

    first = min(due, key=seconds)
    command = AnswerQuestion(
        task_id=task_id,
        command_id=f"answers-itself-{task_id}-{first.tool_use_id}",
        tool_use_id=first.tool_use_id,
        answer=first.suggestions[0].text,
    )
    return DueAnswer(seconds(first), command)


def _answers_itself(event: QuestionAsked) -> bool:
    return event.answer_after is not None and bool(event.suggestions)
