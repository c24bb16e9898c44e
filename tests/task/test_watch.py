"""Following a task: its subtasks too, and never for ever in silence."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator

import pytest

from roo_code.commands import Command
from roo_code.errors import StoreUnavailable
from roo_code.events import (
    EventRecord,
    RunCompleted,
    SubtaskStarted,
    TextDelta,
    TurnStarted,
)
from roo_code.task.watch import Watch
from tests.cli.records import TASK, records

CHILD = "child"


class RecordedHost:
    """Tells the given records, and then nothing more."""

    def __init__(self, *told: EventRecord) -> None:
        self._told: defaultdict[str, list[EventRecord]] = defaultdict(list)
        for record in told:
            self._told[record.task_id].append(record)

    async def handle(self, command: Command) -> None:
        raise NotImplementedError

    async def follow(self, task_id: str, after: int = 0) -> AsyncGenerator[EventRecord]:
        for record in self._told[task_id]:
            if record.seq > after or not record.event.durable:
                yield record
        await asyncio.Event().wait()


def no_failure(task_id: str) -> BaseException | None:
    return None


async def next_event(watch: Watch) -> tuple[str, str]:
    while (record := await watch.next()) is None:
        pass
    return record.task_id, record.event.type


async def test_subtasks_are_followed_from_their_start_without_their_deltas() -> None:
    started = SubtaskStarted(tool_use_id="c", subtask_id=CHILD, prompt="p")
    host = RecordedHost(
        *records(TextDelta(text="a"), started),
        *records(TurnStarted(turn=1), TextDelta(text="b"), RunCompleted(result="r"), task_id=CHILD),
    )
    async with Watch(host, no_failure) as watch:
        watch.add(TASK)
        assert [await next_event(watch) for _ in range(4)] == [
            (TASK, "text_delta"),
            (TASK, "subtask_started"),
            (CHILD, "turn_started"),
            (CHILD, "run_completed"),
        ]


async def test_what_was_seen_is_not_told_again() -> None:
    async with Watch(
        RecordedHost(*records(TurnStarted(turn=1), TurnStarted(turn=2))), no_failure
    ) as watch:
        watch.add(TASK, after=1)
        record = await watch.next()
        assert record is not None
        assert record.seq == 2


async def test_silence_ends_for_whoever_waits_for_something_else() -> None:
    async with Watch(RecordedHost(), no_failure) as watch:
        watch.add(TASK)
        assert await watch.next() is None
        watch.wake()
        assert await watch.next() is None


async def test_a_driver_that_failed_is_told() -> None:
    full = StoreUnavailable("The disk is full.")
    failures = {CHILD: full}
    host = RecordedHost(*records(SubtaskStarted(tool_use_id="c", subtask_id=CHILD, prompt="p")))
    async with Watch(host, failures.get) as watch:
        watch.add(TASK)
        await next_event(watch)
        with pytest.raises(StoreUnavailable, match="full"):
            await watch.next()


async def test_a_log_that_cannot_be_read_is_told() -> None:
    class Unreadable(RecordedHost):
        async def follow(self, task_id: str, after: int = 0) -> AsyncGenerator[EventRecord]:
            raise StoreUnavailable("It is damaged.")
            yield

    async with Watch(Unreadable(), no_failure) as watch:
        watch.add(TASK)
        with pytest.raises(StoreUnavailable, match="damaged"):
            await watch.next()
