"""One thread that writes: whatever waits is committed together, in order."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from roo_code.errors import RooCodeError, StoreUnavailable
from roo_code.task.schema import connect, unavailable

T = TypeVar("T")
_LARGEST_BATCH = 512


class _Job(Struct):
    work: Callable[[sqlite3.Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    value: Any = None
    error: Exception | None = None


class BatchingWriter:
    """Jobs are done in the order they were submitted; a job that refuses leaves no trace."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path, write=True)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="roo-store-writer", daemon=True)
        self._closed = False
        self._thread.start()

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._closed:
            future.set_exception(StoreUnavailable("The task store is closed."))
        else:
            self._jobs.put(_Job(work, loop, future))
        return future

    async def aclose(self) -> None:
        """Write what waits, then close."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        open_for_jobs = True
        while open_for_jobs:
            batch, open_for_jobs = self._next_batch()
            if batch:
                self._commit(batch)
                _report(batch)
        self._connection.close()

    def _next_batch(self) -> tuple[list[_Job], bool]:
        job = self._jobs.get()
        batch: list[_Job] = []
        while job is not None:
            batch.append(job)
            if len(batch) == _LARGEST_BATCH:
                return batch, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _commit(self, batch: list[_Job]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job in batch:
                connection.execute("SAVEPOINT job")
                try:
                    job.value = job.work(connection)
                except RooCodeError as error:
                    job.error = error
                    connection.execute("ROLLBACK TO job")
                connection.execute("RELEASE job")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            for job in batch:  # none of them is on disk
                job.error = unavailable(error, self._path)


def _report(batch: list[_Job]) -> None:
    def settle(jobs: list[_Job]) -> None:
        for job in jobs:
            if job.future.cancelled():
                continue
            if job.error is None:
                job.future.set_result(job.value)
            else:
                job.future.set_exception(job.error)

    loops = {id(job.loop): job.loop for job in batch}
    for key, loop in loops.items():
        mine = [job for job in batch if id(job.loop) == key]
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, mine)
