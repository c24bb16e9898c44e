"""When a question answers itself: its time runs from when it was asked."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from roo_code.events import EventRecord, QuestionAsked, Suggestion
from roo_code.execution.self_answers import due_answer
from roo_code.history import PendingCall
from roo_code.messages import ToolUseContent
from roo_code.task.sqlite_store import SqliteTaskStore


class Asked(SqliteTaskStore):
    """A store whose last records are these."""

    def __init__(self, path: Path, records: list[EventRecord]) -> None:
        super().__init__(path)
        self._records = records

    async def tail(self, task_id: str, limit: int) -> list[EventRecord]:
        return self._records


def question(id: str, answer_after: float | None, *answers: str) -> QuestionAsked:
    suggestions = tuple(Suggestion(text=text) for text in answers)
    return QuestionAsked(
        tool_use_id=id, question="Which?", suggestions=suggestions, answer_after=answer_after
    )


def pending(asked: QuestionAsked) -> PendingCall:
    call = ToolUseContent(id=asked.tool_use_id, name="ask_followup_question")
    return PendingCall(call, deferred=asked)


def record(event: QuestionAsked, ago: float) -> EventRecord:
    return EventRecord(
        task_id="t", seq=1, at=datetime.now(UTC) - timedelta(seconds=ago), event=event
    )


async def due(tmp_path: Path, *asked: tuple[QuestionAsked, float]):
    store = Asked(tmp_path / "tasks.sqlite3", [record(event, ago) for event, ago in asked])
    try:
        return await due_answer(store, "t", [pending(event) for event, _ in asked])
    finally:
        await store.aclose()


@pytest.mark.parametrize(("ago", "low", "high"), [(0, 900, 1000), (600, 300, 400), (5000, 0, 0)])
async def test_the_time_runs_from_when_it_was_asked(
    tmp_path: Path, ago: float, low: float, high: float
) -> None:
    found = await due(tmp_path, (question("1", 1000, "red", "blue"), ago))
    assert found is not None
    assert low <= found.seconds <= high
    assert (found.command.tool_use_id, found.command.answer) == ("1", "red")


async def test_the_first_that_is_due_comes_first(tmp_path: Path) -> None:
    found = await due(tmp_path, (question("1", 900, "a"), 0), (question("2", 100, "b"), 0))
    assert found is not None
    assert found.command.answer == "b"


@pytest.mark.parametrize("asked", [question("1", None, "red"), question("1", 60)])
async def test_others_wait_for_a_person(tmp_path: Path, asked: QuestionAsked) -> None:
    assert await due(tmp_path, (asked, 0)) is None


async def test_every_process_would_send_the_same_command(tmp_path: Path) -> None:
    asked = (question("1", 60, "red"), 0.0)
    first, second = await due(tmp_path, asked), await due(tmp_path, asked)
    assert first is not None
    assert second is not None
    assert first.command == second.command
