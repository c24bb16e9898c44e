"""A task as a program without a store sees it: its mode, its messages, its family."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from roo_code.commands import new_id
from roo_code.events import MessageAdded, ModeSwitched
from roo_code.history import History
from roo_code.messages import Message


class TaskState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"
    """Parked on a question or an approval."""
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Task:
    """All that it says of the conversation is the history's; the host's tasks have one too."""

    def __init__(
        self,
        mode_slug: str,
        initial_message: str = "",
        *,
        id: str = "",
        parent: Task | None = None,
        history: History | None = None,
        depth: int = 0,
    ) -> None:
        self.id = id or new_id()
        self.parent = parent
        self.child_task_ids: list[str] = []
        self.state = TaskState.PENDING
        self.history = history or History()
        self.depth = parent.depth + 1 if parent else depth
        """How many tasks stand above this one."""
        if self.history.mode != mode_slug:
            self.history.apply(ModeSwitched(mode=mode_slug, previous=self.history.mode))
        if initial_message:
            self.history.apply(MessageAdded(message=Message.from_user(initial_message)))
        if parent is not None:
            parent.child_task_ids.append(self.id)

    @property
    def mode_slug(self) -> str:
        return self.history.mode

    @property
    def messages(self) -> Sequence[Message]:
        return self.history.messages

    @property
    def parent_task(self) -> Task | None:
        return self.parent
