"""Frames as node-ipc 12 sends them: a JSON object, then the byte 0x0C."""

from __future__ import annotations

from collections.abc import Iterator

from roo_code.json_text import to_json

DELIMITER = b"\x0c"
LONGEST_FRAME = 32 * 1024 * 1024
"""Bytes; pictures travel inside the frames."""


class FrameTooLong(ValueError):
    """A frame was longer than it may be; all of it is left out."""


class FrameReader:
    """Cuts what arrives into frames, wherever it was cut on the way."""

    def __init__(self, longest: int = LONGEST_FRAME) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> Iterator[bytes | FrameTooLong]:
        """The frames that are whole by now, without their delimiter."""
        *ends, rest = data.split(DELIMITER)
        for end in ends:
            self._keep(end)
            yield self._take()
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._longest:
            self._parts.clear()  # and whatever else comes of it
        elif part:
            self._parts.append(part)

    def _take(self) -> bytes | FrameTooLong:
        length, parts = self._length, self._parts
        self._length, self._parts = 0, []
        if length > self._longest:
            return FrameTooLong(f"a frame has {length:,} bytes, and may have {self._longest:,}")
        return parts[0] if len(parts) == 1 else b"".join(parts)


def to_frame(message: object) -> bytes:
    """In one piece: a node-ipc peer holds back whole frames while a part of one follows them."""
    return b'{"type":"message","data":%b}\x0c' % to_json(message)
