"""The chunks of an HTTP answer put together, out of bytes that may be split anywhere.

Ours and not h11's: services send every word as a chunk of its own, and h11 takes longer to read a
chunk than all the rest of the way to the user.
"""

from __future__ import annotations

import re

from h11 import RemoteProtocolError

_BETWEEN = re.compile(rb"\r\n([0-9a-fA-F]{1,15})(?:;[^\r\n]*)?[ \t]*\r\n")
"""From the end of a chunk to the content of the next one."""
_LONGEST_LINE = 4096
_LONGEST_TRAILER = 16384


class ChunkedBody:
    """As RFC 9112 has it in 7.1; extensions and trailers are skipped."""

    def __init__(self) -> None:
        self._left = 0
        """Of the chunk that is being read."""
        self._held = b"\r\n"
        """What cannot be told yet; before the first chunk, as if another one had ended."""
        self._is_last = False
        self.done = False
        self.is_clean = False
        """Whether it ended with the last byte that came."""

    def feed(self, data: bytes) -> bytes:
        """The content that has come with these bytes."""
        if self._held:
            data, self._held = self._held + data, b""
        found: list[bytes] = []
        place = 0
        while not self._is_last:
            if self._left:
                content = data[place : place + self._left]
                found.append(content)
                place += len(content)
                self._left -= len(content)
                if self._left:
                    return b"".join(found)
            between = _BETWEEN.match(data, place)
            if between is None:
                self._held = _unfinished(data[place:])
                return b"".join(found)
            self._left = int(between[1], 16)
            self._is_last = not self._left
            place = between.end()
        self._end(data[place:])
        return b"".join(found)

    def _end(self, rest: bytes) -> None:
        """Trailers may follow, then a blank line."""
        end = (b"\r\n" + rest).find(b"\r\n\r\n")
        if end >= 0:
            self.done = True
            self.is_clean = len(rest) == end + 2
        elif len(rest) > _LONGEST_TRAILER:
            raise RemoteProtocolError("the trailer of the answer has no end")
        else:
            self._held = rest


def _unfinished(rest: bytes) -> bytes:
    """The beginning of what stands between two chunks; anything else is an error."""
    begins = rest[:2] == b"\r\n"[: len(rest)]
    if not begins or b"\n" in rest[2:] or len(rest) > _LONGEST_LINE:
        raise RemoteProtocolError(f"no chunk begins with {rest[:20]!r}")
    return rest
