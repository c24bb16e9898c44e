"""Answers to reads that may be given again for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from roo_code.mcp_access import McpAnswer

_MOST_ANSWERS = 200
_LARGEST_ANSWER = 1_000_000


class ReadCache:
    """Of one server. What it offers having changed empties it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, McpAnswer]] = OrderedDict()

    def get(self, uri: str) -> McpAnswer | None:
        expires, answer = self._kept.get(uri, (0.0, None))
        return answer if self._clock() < expires else None

    def keep(self, uri: str, answer: McpAnswer, seconds: float) -> None:
        if seconds <= 0 or len(answer.text) > _LARGEST_ANSWER or answer.images:
            return
        self._kept[uri] = self._clock() + seconds, answer
        self._kept.move_to_end(uri)
        while len(self._kept) > _MOST_ANSWERS:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        self._kept.clear()
