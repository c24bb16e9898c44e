"""What pages say between two actions: console, errors, dialogs; bounded, as pages may say much."""

from __future__ import annotations

import time
from collections import deque

_MOST_ENTRIES = 100
_LONGEST_ENTRY = 1000


class BrowserLog:
    def __init__(self) -> None:
        self._entries: deque[str] = deque(maxlen=_MOST_ENTRIES)
        self._count = 0
        self.last = time.monotonic()
        """When anything happened the last time."""

    def touch(self) -> None:
        self.last = time.monotonic()

    def add(self, kind: str, text: str) -> None:
        self.touch()
        self._count += 1
        cut = text if len(text) <= _LONGEST_ENTRY else f"{text[:_LONGEST_ENTRY]} [...]"
        self._entries.append(f"[{kind}] {cut}")

    def take(self) -> str:
        """What is new, the latest last."""
        left_out = self._count - len(self._entries)
        notice = [f"[... {left_out} earlier messages left out]"] if left_out else []
        text = "\n".join([*notice, *self._entries])
        self._entries.clear()
        self._count = 0
        return text
