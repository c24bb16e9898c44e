"""How a reply is cut into events: what every framing hands out, and lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from roo_code.errors import ProtocolError

LARGEST_EVENT = 64 * 1024 * 1024


class WireEvent(NamedTuple):
    name: str
    """Empty where the framing has no names."""
    data: bytes
    """Still encoded: the JSON parser takes bytes."""


class Framing(Protocol):
    """Feed it what arrives, split anywhere; it hands out each event once it is whole."""

    def feed(self, chunk: bytes) -> Iterator[WireEvent]: ...

    def finish(self) -> Iterator[WireEvent]:
        """What is whole at the end of the answer though its own end is missing."""
        ...


class LineParser:
    """One JSON value a line."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[WireEvent]:
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            whole = b"".join((*self._held, line)).strip()
            self._held.clear()
            self._size = 0
            if whole:
                yield WireEvent("", whole)
        if rest:
            self._held.append(rest)
            self._size += len(rest)
        if self._size > LARGEST_EVENT:
            raise ProtocolError("An event of the reply is larger than any model sends.")

    def finish(self) -> Iterator[WireEvent]:
        rest = b"".join(self._held).strip()
        self._held.clear()
        if rest:
            yield WireEvent("", rest)
