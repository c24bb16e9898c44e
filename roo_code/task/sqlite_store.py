"""The task store in one SQLite file, shared by any number of processes."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from roo_code.commands import Command
from roo_code.errors import StoreError, TaskNotFound
from roo_code.events import EventRecord, Limits, TaskSpec
from roo_code.task import inbox, leases, ledger, rows
from roo_code.task.schema import connect, unavailable
from roo_code.task.store import Amount, Lease, TaskQuery, TaskSummary
from roo_code.task.writer import BatchingWriter

T = TypeVar("T")


class Submit(Protocol):
    def __call__(self, work: Callable[[sqlite3.Connection], T], /) -> asyncio.Future[T]: ...


class Read(Protocol):
    def __call__(self, work: Callable[[sqlite3.Connection], T], /) -> Awaitable[T]: ...


class SqliteTaskStore:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = BatchingWriter(path)
        self._reader = connect(path, write=False)
        self._reading = threading.Lock()
        self.ledger = SqliteLedger(self._writer.submit, self._read)

    async def create(self, task_id: str, spec: TaskSpec) -> None:
        def work(db: sqlite3.Connection) -> None:
            rows.create(db, task_id, spec, time.time())

        await self._writer.submit(work)

    def append(
        self, lease: Lease, records: Sequence[EventRecord], consumed: Sequence[str] = ()
    ) -> asyncio.Future[None]:
        def work(db: sqlite3.Connection) -> None:
            leases.check(db, lease)
            rows.append(db, lease.task_id, records)
            inbox.consume(db, consumed)

        return self._writer.submit(work)

    async def read(self, task_id: str, after: int = 0, limit: int = 500) -> list[EventRecord]:
        return await self._read(lambda db: rows.read(db, task_id, after, limit))

    async def tail(self, task_id: str, limit: int) -> list[EventRecord]:
        return await self._read(lambda db: rows.tail(db, task_id, limit))

    async def summary(self, task_id: str) -> TaskSummary:
        found = await self._read(lambda db: rows.summary(db, task_id))
        if found is None:
            raise TaskNotFound(task_id)
        return found

    async def summaries(self, query: TaskQuery) -> list[TaskSummary]:
        return await self._read(lambda db: rows.summaries(db, query))

    async def ids(self, prefix: str, limit: int) -> list[str]:
        return await self._read(lambda db: rows.ids(db, prefix, limit))

    async def spec(self, task_id: str) -> TaskSpec:
        found = await self._read(lambda db: rows.spec(db, task_id))
        if found is None:
            raise TaskNotFound(task_id)
        return found

    async def is_driven(self, task_id: str, besides: str = "") -> bool:
        return await self._read(lambda db: leases.is_held(db, task_id, time.time(), besides))

    async def driver(self, task_id: str) -> int | None:
        return await self._read(lambda db: leases.holder(db, task_id, time.time()))

    async def send(self, command: Command) -> None:
        await self._writer.submit(lambda db: inbox.put(db, command, time.time()))

    async def inbox(self, task_id: str) -> list[Command]:
        return await self._read(lambda db: inbox.waiting(db, task_id))

    async def acquire(self, task_id: str, owner: str) -> Lease | None:
        return await self._writer.submit(lambda db: leases.acquire(db, task_id, owner, time.time()))

    async def renew(self, lease: Lease) -> None:
        await self._writer.submit(lambda db: leases.renew(db, lease, time.time()))

    async def release(self, lease: Lease) -> None:
        await self._writer.submit(lambda db: leases.release(db, lease))

    async def changed_since(self, at: float) -> list[str]:
        return await self._read(lambda db: rows.changed_since(db, at))

    async def change_mark(self) -> int:
        with self._reading:
            return self._reader.execute("PRAGMA data_version").fetchone()[0]

    async def delete(self, task_id: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            if leases.is_held(db, task_id, time.time()):
                raise StoreError(
                    f"Task {task_id!r} is running; cancel it first: roo tasks cancel {task_id}"
                )
            rows.delete(db, task_id)

        await self._writer.submit(work)

    async def aclose(self) -> None:
        await self._writer.aclose()
        with self._reading:
            self._reader.close()

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Reads leave the event loop free: a page of a long log takes a while to decode."""

        def locked() -> T:
            with self._reading:
                try:
                    return work(self._reader)
                except sqlite3.Error as error:
                    raise unavailable(error, self.path) from error

        return await asyncio.to_thread(locked)


class SqliteLedger:
    def __init__(self, submit: Submit, read: Read) -> None:
        self._submit = submit
        self._read = read

    def reserve(self, task_id: str, ceiling: Amount, sure: Amount) -> asyncio.Future[int]:
        return self._submit(lambda db: ledger.reserve(db, task_id, ceiling, sure))

    def settle(self, reservation: int, used: Amount) -> asyncio.Future[None]:
        return self._submit(lambda db: ledger.settle(db, reservation, used))

    async def settle_abandoned(self, task_id: str) -> None:
        await self._submit(lambda db: ledger.settle_abandoned(db, task_id))

    def spend(self, task_id: str, used: Amount) -> asyncio.Future[None]:
        return self._submit(lambda db: ledger.spend(db, task_id, used))

    async def set_limits(self, task_id: str, limits: Limits) -> None:
        await self._submit(lambda db: ledger.set_limits(db, task_id, limits))

    async def seconds_left(self, task_id: str) -> float | None:
        return await self._read(lambda db: ledger.seconds_left(db, task_id))
