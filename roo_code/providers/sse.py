"""Server-sent events out of bytes that may be split anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from roo_code.errors import ProtocolError
from roo_code.providers.framing import LARGEST_EVENT, WireEvent

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseParser:
    """Feed it what arrives; it hands out each event when its blank line has come."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self._started = False
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[WireEvent]:
        if not chunk:
            return
        if self._after_return and chunk[:1] == b"\n":
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r") if chunk else False
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            if self._line:
                line = b"".join((*self._line, line))
                self._line.clear()
            if event := self._take(line):
                yield event
        self._hold(rest)

    def finish(self) -> Iterator[WireEvent]:
        """What is whole at the end though its blank line is missing."""
        rest = b"".join(self._line)
        if rest in (b"data: [DONE]", b"data:[DONE]"):
            self._take(rest)
        if event := self._take(b""):
            yield event

    def _hold(self, rest: bytes) -> None:
        if rest:
            self._size += len(rest)
            self._line.append(rest)
        if self._size > LARGEST_EVENT:
            raise ProtocolError("An event of the reply is larger than any model sends.")

    def _take(self, line: bytes) -> WireEvent | None:
        if not self._started:
            self._started = True
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._size += len(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return None

    def _dispatch(self) -> WireEvent | None:
        event = WireEvent(self._name, b"\n".join(self._data)) if self._data else None
        self._name = ""
        self._data.clear()
        self._size = 0
        return event
