"""The SQLite store: append-only logs, an index kept beside them, an inbox."""

import asyncio
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roo_code.commands import CancelTask, SendMessage
from roo_code.errors import LeaseLost, StoreError, StoreUnavailable, TaskExists, TaskNotFound
from roo_code.events import (
    Event,
    EventRecord,
    Limits,
    MessageAdded,
    ParentCall,
    RunCompleted,
    RunParked,
    SpecChanged,
    TaskSpec,
    TurnStarted,
)
from roo_code.messages import Message, TextContent, Usage
from roo_code.task.schema import SCHEMA_VERSION
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import Lease, TaskQuery

SPEC = TaskSpec(
    prompt="\n Fix the bug.\nIt is in a.py.",
    workspace="/w",
    provider={"api_provider": "anthropic", "api_model_id": "claude"},
)


def record(seq: int, event: Event) -> EventRecord:
    return EventRecord(task_id="t", seq=seq, at=datetime.now(UTC), event=event)


async def held(store: SqliteTaskStore, task_id: str = "t") -> Lease:
    lease = await store.acquire(task_id, "host|1|x|me")
    assert lease is not None
    return lease


async def test_a_log_comes_back_as_it_was_written(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    lease = await held(store)
    usage = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=2, cost=0.25)
    said = Message(role="assistant", content=(TextContent(text="Hi \udc80?"[:3]),), usage=usage)
    written = [record(2, TurnStarted(turn=1)), record(3, MessageAdded(message=said))]
    await store.append(lease, written)
    await store.append(lease, [record(4, RunCompleted(result="Hi"))])

    read = await store.read("t")
    assert [r.seq for r in read] == [1, 2, 3, 4]
    assert read[1:3] == written
    assert [r.seq for r in await store.read("t", after=2, limit=1)] == [3]
    assert [r.seq for r in await store.tail("t", 2)] == [3, 4]
    summary = await store.summary("t")
    assert (summary.title, summary.status, summary.last_seq) == ("Fix the bug.", "completed", 4)
    assert (summary.tokens_in, summary.tokens_out, summary.cost, summary.turns) == (12, 5, 0.25, 1)
    assert (summary.provider, summary.model) == ("anthropic", "claude")


async def test_a_start_may_be_repeated_but_not_with_other_words(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    await store.create("t", SPEC)
    assert len(await store.read("t")) == 1
    with pytest.raises(TaskExists):
        await store.create("t", SPEC.replace(prompt="Other."))


async def test_an_unknown_task_is_said_to_be_unknown(store: SqliteTaskStore) -> None:
    with pytest.raises(TaskNotFound, match="nope"):
        await store.summary("nope")
    with pytest.raises(TaskNotFound):
        await store.send(CancelTask(task_id="nope"))


async def test_commands_wait_in_order_and_a_repeat_is_harmless(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    first = SendMessage(task_id="t", text="one")
    second = SendMessage(task_id="t", text="two")
    for command in (first, second, first):
        await store.send(command)
    assert await store.inbox("t") == [first, second]

    lease = await held(store)
    event = MessageAdded(message=Message.from_user("one"))
    await store.append(lease, [record(2, event)], consumed=[first.command_id])
    await store.send(first)
    assert await store.inbox("t") == [second]


async def test_consuming_and_logging_are_one(store: SqliteTaskStore) -> None:
    """A driver without the lease neither writes nor takes the command away."""
    await store.create("t", SPEC)
    command = SendMessage(task_id="t", text="one")
    await store.send(command)
    lease = await held(store)
    stale = Lease("t", lease.owner, lease.token - 1)
    event = MessageAdded(message=Message.from_user("one"))
    with pytest.raises(LeaseLost):
        await store.append(stale, [record(2, event)], consumed=[command.command_id])
    assert await store.inbox("t") == [command]
    assert len(await store.read("t")) == 1


async def test_appends_become_durable_in_order_and_together(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    lease = await held(store)
    futures = [store.append(lease, [record(n, TurnStarted(turn=n))]) for n in range(2, 300)]
    await futures[-1]
    assert all(future.done() for future in futures)
    assert [r.seq for r in await store.read("t")] == list(range(1, 300))


async def test_one_refused_write_does_not_harm_those_beside_it(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    lease = await held(store)
    results = await asyncio.gather(
        store.append(lease, [record(2, TurnStarted(turn=1))]),
        store.append(Lease("t", "x", 99), [record(3, TurnStarted(turn=2))]),
        store.append(lease, [record(3, TurnStarted(turn=3))]),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), LeaseLost, type(None)]
    turns = [r.event for r in await store.read("t", after=1)]
    assert turns == [TurnStarted(turn=1), TurnStarted(turn=3)]


async def test_tasks_are_listed_newest_first_by_pages(store: SqliteTaskStore) -> None:
    for number in range(5):
        await store.create(f"t{number}", SPEC)
    await store.create("elsewhere", SPEC.replace(workspace="/other"))
    child = SPEC.replace(parent=ParentCall(task_id="t0", tool_use_id="c"))
    await store.create("child", child)

    page = await store.summaries(TaskQuery(workspace="/w", limit=3))
    assert [s.id for s in page] == ["t4", "t3", "t2"]
    rest = await store.summaries(TaskQuery(workspace="/w", limit=3, before=page[-1]))
    assert [s.id for s in rest] == ["t1", "t0"]
    family = await store.summaries(TaskQuery(parent="t0", subtasks=True))
    assert [s.id for s in family] == ["child"]


async def test_the_first_page_of_many_tasks_uses_an_index(store: SqliteTaskStore) -> None:
    with sqlite3.connect(store.path) as db:
        for where in ("WHERE parent_id IS NULL", "WHERE workspace = '/w' AND parent_id IS NULL"):
            query = f"SELECT * FROM tasks {where} ORDER BY updated_at DESC, id DESC LIMIT 9"
            plan = db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
            assert "USING INDEX" in plan[0][3]
            assert not any("TEMP B-TREE" in row[3] for row in plan)
    db.close()


async def test_status_follows_the_log(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    assert (await store.summary("t")).status == "created"
    lease = await held(store)
    for seq, (event, status) in enumerate(
        [
            (TurnStarted(turn=1), "running"),
            (RunParked(waiting_for=()), "parked"),
            (MessageAdded(message=Message.from_user("go")), "running"),
        ],
        start=2,
    ):
        await store.append(lease, [record(seq, event)])
        assert (await store.summary("t")).status == status


async def test_changed_settings_show_in_the_index(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    lease = await held(store)
    spec = SPEC.replace(provider={"api_model_id": "other"}, limits=Limits(seconds=5))
    await store.append(lease, [record(2, SpecChanged(spec=spec))])
    assert (await store.summary("t")).model == "other"
    assert await store.ledger.seconds_left("t") == 5


async def test_a_task_is_deleted_with_its_subtasks_but_not_while_it_runs(
    store: SqliteTaskStore,
) -> None:
    await store.create("t", SPEC)
    child = SPEC.replace(parent=ParentCall(task_id="t", tool_use_id="c"))
    await store.create("child", child)
    lease = await store.acquire("t", "another-host|1|x|me")
    assert lease is not None
    with pytest.raises(StoreError, match="running"):
        await store.delete("t")
    await store.release(lease)
    await store.delete("t")
    assert await store.summaries(TaskQuery(subtasks=True)) == []
    assert await store.read("child") == []


async def test_a_store_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tasks.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="newer version"):
        SqliteTaskStore(path)
    assert path.read_bytes() == before


async def test_a_file_that_is_no_store_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "tasks.sqlite3"
    path.write_bytes(b"not a database, but long enough to look like one" * 100)
    with pytest.raises(StoreUnavailable) as raised:
        SqliteTaskStore(path)
    assert "damaged" in raised.value.hint


async def test_a_full_disk_loses_nothing_that_was_stored(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    lease = await held(store)
    await store._writer.submit(lambda db: db.execute("PRAGMA max_page_count=60").fetchone())
    huge = MessageAdded(message=Message.from_user("x" * 3_000_000))
    with pytest.raises(StoreUnavailable) as raised:
        await store.append(lease, [record(2, huge)])
    assert "disk space" in raised.value.hint
    await store._writer.submit(lambda db: db.execute("PRAGMA max_page_count=999999").fetchone())
    await store.append(lease, [record(2, TurnStarted(turn=1))])
    assert [r.event.type for r in await store.read("t")] == ["task_created", "turn_started"]


async def test_the_store_is_readable_by_its_owner_only(store: SqliteTaskStore) -> None:
    assert store.path.stat().st_mode & 0o077 == 0
    assert store.path.parent.stat().st_mode & 0o077 == 0
