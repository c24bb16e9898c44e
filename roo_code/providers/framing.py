"""How a reply is cut into events: what every framing hands out, and lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from roo_code.errors import ProtocolError
from roo_code.json_text import from_json

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


class WholeParser:
    """A reply that comes at once, as one JSON value."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> Iterator[WireEvent]:
        self._held += chunk
        if len(self._held) > LARGEST_EVENT:
            raise ProtocolError("The reply is larger than any model sends.")
        return iter(())

    def finish(self) -> Iterator[WireEvent]:
        whole = bytes(self._held.strip())
        self._held.clear()
        if whole:
            yield WireEvent("", whole)


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
        if rest and _is_whole(rest):
            yield WireEvent("", rest)


def _is_whole(line: bytes) -> bool:
    try:
        from_json(line)
    except ValueError:
        return False
    return True
