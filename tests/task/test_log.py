"""What followers see, and when."""

import asyncio

import pytest

from roo_code.errors import LeaseLost
from roo_code.events import EventRecord, TaskSpec, TextDelta, TurnStarted
from roo_code.task.live import Follower
from roo_code.task.log import EventLog
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import Lease

SPEC = TaskSpec(prompt="p", workspace="/w")


async def opened(store: SqliteTaskStore, shown: list[EventRecord]) -> EventLog:
    await store.create("t", SPEC)
    lease = await store.acquire("t", "host|1|x|me")
    assert lease is not None
    return EventLog(store, lease, 1, shown.append)


async def test_events_are_shown_in_order_and_only_once_they_are_stored(
    store: SqliteTaskStore,
) -> None:
    shown: list[EventRecord] = []
    log = await opened(store, shown)
    log.append(TurnStarted(turn=1))
    log.append(TextDelta(text="a"))
    assert shown == []
    await log.flush()
    await asyncio.sleep(0)
    assert [(r.seq, r.event.type) for r in shown] == [(2, "turn_started"), (2, "text_delta")]
    log.append(TextDelta(text="b"))
    assert len(shown) == 3  # nothing is being written: a delta does not wait
    assert [r.seq for r in await store.read("t")] == [1, 2]


async def test_what_could_not_be_stored_is_never_shown(store: SqliteTaskStore) -> None:
    shown: list[EventRecord] = []
    await store.create("t", SPEC)
    log = EventLog(store, Lease("t", "host|1|x|me", 7), 1, shown.append)
    log.append(TurnStarted(turn=1))
    with pytest.raises(LeaseLost):
        await log.flush()
    assert shown == []


def delta(text: str) -> EventRecord:
    from datetime import UTC, datetime

    return EventRecord(task_id="t", seq=1, at=datetime.now(UTC), event=TextDelta(text=text))


async def test_a_slow_follower_gets_its_deltas_joined() -> None:
    follower = Follower()
    for letter in "hello":
        follower.put(delta(letter))
    (only,) = follower.take()
    assert only.event == TextDelta(text="hello")


async def test_a_follower_far_behind_holds_a_bounded_number_of_records() -> None:
    follower = Follower()
    record = delta("x").replace(event=TurnStarted(turn=1))
    for _ in range(5000):
        follower.put(record)
    assert len(follower.take()) <= 1000
