"""LocalExecutor: drives tasks as asyncio tasks of this process."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from roo_code.commands import Command, StartTask
from roo_code.errors import LeaseLost, TaskNotFound
from roo_code.execution.family import order_from_above, what_follows
from roo_code.execution.self_answers import DueAnswer, due_answer
from roo_code.task.leases import LEASE_SECONDS, process_owner
from roo_code.task.live import LiveRecords
from roo_code.task.store import Lease, TaskQuery, TaskStatus, TaskStore
from roo_code.task.task import CreateAgent, Task
from roo_code.tool_resources import TaskResources
from roo_code.workspace.uncut import uncut

_POLL_SECONDS = 0.1
_log = logging.getLogger(__name__)
_UNFINISHED: tuple[TaskStatus, ...] = ("created", "running")


class LocalExecutor:
    """One driver for each task with something to do; other processes are respected by lease."""

    def __init__(
        self,
        store: TaskStore,
        create_agent: CreateAgent,
        live: LiveRecords,
        *,
        max_concurrent: int = 16,
    ) -> None:
        self._store = store
        self._create_agent = create_agent
        self._live = live
        self._owner = process_owner()
        self._slots = asyncio.Semaphore(max_concurrent)
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._tasks: dict[str, Task] = {}
        self._again: set[str] = set()
        self._attended: set[str] = set()
        self._resources: dict[str, TaskResources] = {}
        self._due: dict[str, asyncio.Task[None]] = {}
        """Answers to come, of tasks that wait for nothing but a question's time."""

    async def wake(self, task_id: str) -> None:
        """There may be something to do for the task: drive it, unless another process does."""
        self._again.add(task_id)
        if task := self._tasks.get(task_id):
            task.wake()
        driver = self._drivers.get(task_id)
        if driver is None or driver.done():
            self._drivers[task_id] = asyncio.create_task(self._look_after(task_id))

    async def attend(self, task_id: str) -> None:
        """Stay with the task: while it is parked, and to take over if its driver dies."""
        self._attended.add(task_id)
        await self.wake(task_id)

    def leave(self, task_id: str) -> None:
        """Stay with the task no longer than it has something to do."""
        self._attended.discard(task_id)

    async def is_driven_elsewhere(self, task_id: str) -> bool:
        return await self._store.is_driven(task_id, besides=self._owner)

    async def recover(self) -> None:
        """Drive whatever was running when its process died; for a server's start."""
        for status in _UNFINISHED:
            query = TaskQuery(status=status, limit=1_000_000, subtasks=True)
            for summary in await self._store.summaries(query):
                await self.wake(summary.id)

    async def finish(self, task_id: str) -> None:
        """Wait until this process has nothing more to do for the task; raise what kept it from it.

        A task that is attended never gets there.
        """
        if driver := self._drivers.get(task_id):
            await asyncio.wait({driver})
            driver.result()

    def failure(self, task_id: str) -> BaseException | None:
        """Why this process could not drive the task, if so; for whoever waits for it."""
        driver = self._drivers.get(task_id)
        if driver is None or not driver.done() or driver.cancelled():
            return None
        return driver.exception()

    async def aclose(self) -> None:
        """Stop driving at once. Tasks stay as their logs say, for another process to go on."""
        drivers = [*self._drivers.values(), *self._due.values()]
        for driver in drivers:
            driver.cancel()
        await asyncio.gather(*drivers, return_exceptions=True)
        for task_id in list(self._resources):
            await uncut(self._close_resources(task_id))

    async def _look_after(self, task_id: str) -> None:
        more = True
        while more:
            self._again.discard(task_id)
            lease = await self._store.acquire(task_id, self._owner)
            if lease is None:
                more = await self._may_take_over(task_id)
            else:
                left_waiting = await self._drive(lease)
                more = await self._has_news(task_id, left_waiting)

    async def _may_take_over(self, task_id: str) -> bool:
        """Another process drives it. That one hears our commands too, but it may die."""
        if task_id in self._attended or await self._store.inbox(task_id):
            await asyncio.sleep(_POLL_SECONDS)
            return True
        return False

    async def _has_news(self, task_id: str, left_waiting: set[str]) -> bool:
        """Whether a command came that the last drive did not see; an attended task waits for it."""
        while True:
            commands = await self._store.inbox(task_id)
            if task_id in self._again or {c.command_id for c in commands} - left_waiting:
                return True
            if task_id not in self._attended:
                return False
            await asyncio.sleep(_POLL_SECONDS)

    async def _drive(self, lease: Lease) -> set[str]:
        resources = self._resources.setdefault(lease.task_id, TaskResources())
        task = Task(self._store, lease, self._create_agent, self._live.publish, resources)
        self._tasks[task.id] = task
        renewing = asyncio.create_task(self._renew(lease))
        try:
            async with self._slots:
                self._live.driven_here.add(task.id)
                if order := await order_from_above(self._store, task.id):
                    await self._store.send(order)
                with suppress(LeaseLost):  # another process goes on with it
                    await task.drive()
        finally:
            renewing.cancel()
            del self._tasks[task.id]
            self._live.driven_here.discard(task.id)
            if task.ended is not None:
                await uncut(self._close_resources(task.id))
            await asyncio.shield(self._store.release(lease))
        for command in await what_follows(self._store, task):
            await self._pass_on(command)
        await self._await_answer(task)
        return task.left_waiting

    async def _await_answer(self, task: Task) -> None:
        """See that a question is answered when its time is over, unless somebody is faster."""
        if before := self._due.pop(task.id, None):
            before.cancel()
        due = await due_answer(self._store, task.id, task.pending)
        if due is not None:
            self._due[task.id] = asyncio.create_task(self._answer_later(due))

    async def _answer_later(self, due: DueAnswer) -> None:
        await asyncio.sleep(due.seconds)
        with suppress(TaskNotFound):  # it was deleted meanwhile
            await self._pass_on(due.command)

    async def _close_resources(self, task_id: str) -> None:
        """A browser or a command that cannot be closed is no reason to lose the task."""
        try:
            await self._resources.pop(task_id, TaskResources()).aclose()
        except ExceptionGroup:
            _log.exception("not all that task %s had open could be closed", task_id)

    async def _renew(self, lease: Lease) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            await self._store.renew(lease)

    async def _pass_on(self, command: Command) -> None:
        if isinstance(command, StartTask):
            await self._store.create(command.task_id, command.spec)
        else:
            await self._store.send(command)
        await self.wake(command.task_id)
