"""How a reply is cut into events: what every framing hands out, and lines of JSON."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from roo_code.errors import ProtocolError
from roo_code.json_text import from_json

LARGEST_EVENT = 64 * 1024 * 1024


class WireEvent(Struct, frozen=True, gc=False):
    """A struct: one is made for every few characters that arrive."""

    name: str
    """Empty where the framing has no names."""
    data: bytes
    """Still encoded: the JSON parser takes bytes."""


class Framing(Protocol):
    """Feed it what arrives, split anywhere; it hands out each event once it is whole."""

    def feed(self, chunk: bytes) -> list[WireEvent]: ...

    def finish(self) -> list[WireEvent]:
        """What is whole at the end of the answer though its own end is missing."""
        ...


class WholeParser:
    """A reply that comes at once, as one JSON value."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> list[WireEvent]:
        self._held += chunk
        if len(self._held) > LARGEST_EVENT:
            raise ProtocolError("The reply is larger than any model sends.")
        return []

    def finish(self) -> list[WireEvent]:
        whole = bytes(self._held.strip())
        self._held.clear()
        return [WireEvent("", whole)] if whole else []


class LineParser:
    """One JSON value a line."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[WireEvent]:
        *ended, rest = chunk.split(b"\n")
        if ended:
            ended[0] = b"".join((*self._held, ended[0]))
            self._held.clear()
            self._size = 0
        if rest:
            self._held.append(rest)
            self._size += len(rest)
        if self._size > LARGEST_EVENT:
            raise ProtocolError("An event of the reply is larger than any model sends.")
        return [WireEvent("", whole) for line in ended if (whole := line.strip())]

    def finish(self) -> list[WireEvent]:
        rest = b"".join(self._held).strip()
        self._held.clear()
        return [WireEvent("", rest)] if rest and _is_whole(rest) else []


def _is_whole(line: bytes) -> bool:
    try:
        from_json(line)
    except ValueError:
        return False
    return True
