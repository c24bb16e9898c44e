"""LiveRecords: what happens in this process, to whoever follows here."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from roo_code.events import EventRecord, ReasoningDelta, TextDelta, ToolOutput

_MOST_WAITING = 1000


class Follower:
    """What one follower has not taken yet.

    A slow one gets its deltas joined; one that falls far behind loses them and reads the rest
    from the store.
    """

    def __init__(self) -> None:
        self._records: deque[EventRecord] = deque()
        self._arrived = asyncio.Event()
        self.is_behind = True
        """Whether the store may hold records that will not come this way."""

    def put(self, record: EventRecord) -> None:
        if self._records and (joined := _join(self._records[-1], record)):
            self._records[-1] = joined
        elif len(self._records) < _MOST_WAITING:
            self._records.append(record)
        else:
            self._records.clear()
            self.is_behind = True
        self._arrived.set()

    def fall_behind(self) -> None:
        """Something was stored by another process."""
        self.is_behind = True
        self._arrived.set()

    def take(self) -> list[EventRecord]:
        records = list(self._records)
        self._records.clear()
        self._arrived.clear()
        return records

    async def wait(self) -> None:
        await self._arrived.wait()


def _join(last: EventRecord, new: EventRecord) -> EventRecord | None:
    a, b = last.event, new.event
    if isinstance(a, TextDelta) and isinstance(b, TextDelta):
        return new.replace(event=TextDelta(text=a.text + b.text))
    if isinstance(a, ReasoningDelta) and isinstance(b, ReasoningDelta):
        return new.replace(event=ReasoningDelta(text=a.text + b.text))
    if isinstance(a, ToolOutput) and isinstance(b, ToolOutput) and a.tool_use_id == b.tool_use_id:
        joined = ToolOutput(tool_use_id=a.tool_use_id, text=a.text + b.text)
        return new.replace(event=joined)
    return None


class LiveRecords:
    def __init__(self) -> None:
        self._followers: defaultdict[str, set[Follower]] = defaultdict(set)
        self.driven_here: set[str] = set()
        """Tasks whose every record passes through `publish`: nobody need poll the store."""

    def publish(self, record: EventRecord) -> None:
        for follower in self._followers.get(record.task_id, ()):
            follower.put(record)

    def tell_of_changes(self, task_ids: Iterable[str]) -> None:
        """Let those who follow these tasks read the store, but for tasks that are driven here."""
        for task_id in task_ids:
            if task_id not in self.driven_here:
                for follower in self._followers.get(task_id, ()):
                    follower.fall_behind()

    @property
    def has_followers(self) -> bool:
        return bool(self._followers)

    @contextmanager
    def follow(self, task_id: str) -> Generator[Follower]:
        follower = Follower()
        self._followers[task_id].add(follower)
        try:
            yield follower
        finally:
            self._followers[task_id].discard(follower)
            if not self._followers[task_id]:
                del self._followers[task_id]
