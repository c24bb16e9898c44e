"""Server-sent events out of bytes that may be split anywhere."""

from __future__ import annotations

from roo_code.errors import ProtocolError
from roo_code.providers.framing import LARGEST_EVENT, WireEvent

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseParser:
    """Feed it what arrives; it hands out each event when its blank line has come."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        """The beginning of one that has not ended."""
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        """Of what came since the last event was done."""
        self._started = False
        self._after_return = False

    def feed(self, chunk: bytes) -> list[WireEvent]:
        if self._after_return and chunk[:1] == b"\n":
            chunk, self._after_return = chunk[1:], False
        if not chunk:
            return []
        self._after_return = chunk.endswith(b"\r")
        lines = chunk.splitlines()
        rest = b"" if chunk.endswith((b"\n", b"\r")) else lines.pop()
        if lines:
            lines[0] = b"".join((*self._line, lines[0]))
            self._line.clear()
            if not self._started:
                self._started = True
                lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        if rest:
            self._line.append(rest)
        self._size = len(rest) if b"" in lines else self._size + len(chunk)
        if self._size > LARGEST_EVENT:
            raise ProtocolError("An event of the reply is larger than any model sends.")
        return self._events(lines)

    def finish(self) -> list[WireEvent]:
        """What is whole at the end though its blank line is missing."""
        rest = b"".join(self._line)
        lines = [rest, b""] if rest in (b"data: [DONE]", b"data:[DONE]") else [b""]
        return self._events(lines)

    def _events(self, lines: list[bytes]) -> list[WireEvent]:
        events: list[WireEvent] = []
        for line in lines:
            if line.startswith(b"data: "):
                self._data.append(line[6:])
            elif line.startswith(b"event: "):
                self._name = line[7:].decode("utf-8", "replace")
            elif line:
                self._note(line)
            else:
                if self._data:
                    events.append(WireEvent(self._name, b"\n".join(self._data)))
                    self._data.clear()
                self._name = ""
        return events

    def _note(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
