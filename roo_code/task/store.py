"""What a task store must do. The log is the truth; all else here is an index of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from roo_code.commands import Command
from roo_code.events import EventRecord, Limits, TaskSpec
from roo_code.messages import Value

TaskStatus: TypeAlias = Literal["created", "running", "parked", "completed", "failed", "cancelled"]
ENDED: frozenset[TaskStatus] = frozenset({"completed", "failed", "cancelled"})


class TaskSummary(Value):
    """A task as a list shows it."""

    id: str
    title: str
    status: TaskStatus
    workspace: str
    mode: str
    provider: str
    model: str
    parent_id: str | None
    created_at: float
    updated_at: float
    last_seq: int
    tokens_in: int
    tokens_out: int
    cost: float
    turns: int


class Lease(Struct, frozen=True):
    """The right to write a task's log. `token` grows with every holder: an old one is refused."""

    task_id: str
    owner: str
    token: int


class Amount(Struct, frozen=True):
    """What a model call uses of a budget."""

    turns: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class TaskQuery(Struct, frozen=True, kw_only=True):
    """Which tasks, newest first; `before` is the last task of the page before."""

    workspace: str | None = None
    status: TaskStatus | None = None
    before: TaskSummary | None = None
    limit: int = 50
    subtasks: bool = False
    parent: str | None = None


class Ledger(Protocol):
    """Who may use how much, and what is used. Restarts and subtasks do not reset it."""

    def reserve(self, task_id: str, ceiling: Amount, sure: Amount) -> asyncio.Future[int]:
        """Set aside what a model call may use, here and in every task above, or refuse.

        `sure` is what is counted as used if nobody ever settles it.
        """
        ...

    def settle(self, reservation: int, used: Amount) -> asyncio.Future[None]: ...

    async def settle_abandoned(self, task_id: str) -> None:
        """Count what a driver that died had reserved."""
        ...

    def spend(self, task_id: str, used: Amount) -> asyncio.Future[None]: ...

    async def set_limits(self, task_id: str, limits: Limits) -> None: ...

    async def seconds_left(self, task_id: str) -> float | None: ...


class TaskStore(Protocol):
    @property
    def ledger(self) -> Ledger: ...

    async def create(self, task_id: str, spec: TaskSpec) -> None:
        """Store a new task with its first event; the same again is harmless."""
        ...

    def append(
        self, lease: Lease, records: Sequence[EventRecord], consumed: Sequence[str] = ()
    ) -> asyncio.Future[None]:
        """Queue records, and the commands they answer; the future is done when they are on disk.

        Appends become durable in the order they were made.
        """
        ...

    async def read(self, task_id: str, after: int = 0, limit: int = 500) -> list[EventRecord]: ...

    async def tail(self, task_id: str, limit: int) -> list[EventRecord]: ...

    async def summary(self, task_id: str) -> TaskSummary: ...

    async def summaries(self, query: TaskQuery) -> list[TaskSummary]: ...

    async def ids(self, prefix: str, limit: int) -> list[str]:
        """The first few ids that begin so."""
        ...

    async def spec(self, task_id: str) -> TaskSpec:
        """The settings the task has now."""
        ...

    async def is_driven(self, task_id: str, besides: str = "") -> bool:
        """Whether a live process drives the task now, other than the owner named."""
        ...

    async def driver(self, task_id: str) -> int | None:
        """The token of the lease under which a live process drives the task now, if one does."""
        ...

    async def send(self, command: Command) -> None:
        """Put a command into the task's inbox; the same again is harmless."""
        ...

    async def inbox(self, task_id: str) -> list[Command]: ...

    async def acquire(self, task_id: str, owner: str) -> Lease | None:
        """The lease, or None while a live process holds it."""
        ...

    async def renew(self, lease: Lease) -> None: ...

    async def release(self, lease: Lease) -> None: ...

    async def changed_since(self, at: float) -> list[str]:
        """The tasks whose logs grew since then."""
        ...

    async def change_mark(self) -> int:
        """A number that changes when another process has written."""
        ...

    async def delete(self, task_id: str) -> None: ...

    async def aclose(self) -> None: ...
