"""Keeps the key out of messages, wherever it comes back from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_SHORTEST = 4
"""A shorter secret is none, and would be found in every word."""
_HIDDEN = "***"


class Scrubber:
    def __init__(self, key: str | None, headers: Mapping[str, str]) -> None:
        values = [key or ""]
        for name, value in headers.items():
            if _SECRET_HEADER.search(name):
                values += [value, value.rpartition(" ")[2]]
        secrets = {value for value in values if len(value) >= _SHORTEST}
        # One secret may be part of another.
        self._secrets = sorted(secrets, key=len, reverse=True)
        self._replace = re.compile("|".join(map(re.escape, self._secrets)) or r"(?!)").sub

    def __call__(self, text: str) -> str:
        return self._replace(_HIDDEN, text)

    def stream(self) -> StreamScrubber:
        """The same for bytes that come in pieces, of which a secret may lie across two."""
        return StreamScrubber(secret.encode() for secret in self._secrets)


class StreamScrubber:
    """Holds back the end of a piece only as long as it may be the beginning of a secret."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        self._secrets = tuple(secrets)
        self._pattern = re.compile(b"|".join(map(re.escape, self._secrets)) or rb"(?!)")
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Take a piece; return what can be shown now."""
        data = self._held + data
        cut = len(data) - max((_overlap(data, secret) for secret in self._secrets), default=0)
        if cut < len(data):  # a whole secret may end where another seems to begin
            inside = (m.end() for m in self._pattern.finditer(data) if m.start() < cut < m.end())
            cut = next(inside, cut)
        self._held = data[cut:]
        return self._hidden(data[:cut])

    def finish(self) -> bytes:
        """What was held back, when nothing follows it."""
        left, self._held = self._held, b""
        return self._hidden(left)

    def _hidden(self, data: bytes) -> bytes:
        if not any(secret in data for secret in self._secrets):
            return data  # many times as fast to find out as by the pattern
        return self._pattern.sub(_HIDDEN.encode(), data)


def _overlap(data: bytes, secret: bytes) -> int:
    """How many bytes at the end of the data a secret begins with; all of it does not count."""
    longest = min(len(data), len(secret) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(secret[:n])), 0)
