"""Amazon's binary event stream out of bytes that may be split anywhere.

A message is a prelude (its length, that of its headers, a checksum), typed headers, a payload and a
checksum of all. Ours and not botocore's: it takes a quarter of the time, and a bearer key then
needs no botocore at all.
"""

from __future__ import annotations

from struct import Struct, error
from zlib import crc32

from roo_code.errors import ProtocolError
from roo_code.json_text import to_json
from roo_code.providers.framing import LARGEST_EVENT, WireEvent

_PRELUDE = Struct("!III")
_CHECKSUM = Struct("!I")
_LENGTH = Struct("!H")
_SMALLEST = _PRELUDE.size + _CHECKSUM.size
_FIXED_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes that a value of a type takes: booleans, integers, a time, a UUID."""
_BYTES, _TEXT = 6, 7
_MOST_KEPT_NAMES = 64


class EventStreamParser:
    """Feed it what arrives; it hands out each message when its checksum is right."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._needed = _PRELUDE.size
        """How much must be held before there is anything to read in it."""
        self._names: dict[bytes, str] = {}
        """Of headers that were read before: almost all of a reply's are the same."""

    def feed(self, chunk: bytes) -> list[WireEvent]:
        self._held.append(chunk)
        self._size += len(chunk)
        if self._size < self._needed:
            return []
        events: list[WireEvent] = []
        data, start, size = b"".join(self._held), 0, _PRELUDE.size
        while len(data) - start >= _PRELUDE.size:
            size, headers_size, _ = _PRELUDE.unpack_from(data, start)
            body, checked = start + _PRELUDE.size + headers_size, start + size - _CHECKSUM.size
            if checked + _CHECKSUM.size > len(data) or body > checked:
                _check_prelude(data, start)
                break
            if crc32(data[start:checked]) != _CHECKSUM.unpack_from(data, checked)[0]:
                _check_prelude(data, start)
                raise ProtocolError("A message of the reply was damaged on its way.")
            headers, payload = data[start + _PRELUDE.size : body], data[body:checked]
            name = self._names.get(headers)
            if name is None:
                events.append(self._read(headers, payload))
            else:
                events.append(WireEvent(name, payload))
            start, size = start + size, _PRELUDE.size
        self._held = [data[start:]]
        self._size = len(data) - start
        self._needed = size
        return events

    def finish(self) -> list[WireEvent]:
        """Half a message is none."""
        return []

    def _read(self, headers: bytes, payload: bytes) -> WireEvent:
        fields = _read_headers(headers)
        if fields.get(":message-type") == "error":  # tells all in its headers
            told = {"type": fields.get(":error-code"), "message": fields.get(":error-message")}
            return WireEvent("error", to_json(told))
        name = fields.get(":exception-type") or fields.get(":event-type") or ""
        if len(self._names) < _MOST_KEPT_NAMES:
            self._names[headers] = name
        return WireEvent(name, payload)


def _check_prelude(held: bytes, start: int) -> None:
    """Of a message that is not whole, or not right: a wrong length would be waited for."""
    size, headers_size, expected = _PRELUDE.unpack_from(held, start)
    if crc32(held[start : start + 8]) != expected:
        raise ProtocolError("The reply is not an event stream, or was damaged on its way.")
    if size < _SMALLEST + headers_size:
        raise ProtocolError("A message of the reply is shorter than its headers.")
    if size > LARGEST_EVENT:
        raise ProtocolError("An event of the reply is larger than any model sends.")


def _read_headers(data: bytes) -> dict[str, str]:
    """The headers that are texts, which are all that matter here."""
    fields: dict[str, str] = {}
    place = 0
    try:
        while place < len(data):
            end = place + 1 + data[place]
            name, kind = data[place + 1 : end].decode(), data[end]
            place = end + 1
            if kind in (_BYTES, _TEXT):
                (size,) = _LENGTH.unpack_from(data, place)
                place += _LENGTH.size
                if kind == _TEXT:
                    fields[name] = data[place : place + size].decode()
            else:
                size = _FIXED_SIZES[kind]
            place += size
    except (KeyError, IndexError, UnicodeDecodeError, error) as problem:
        raise ProtocolError("The headers of a message of the reply are not readable.") from problem
    if place != len(data):
        raise ProtocolError("The headers of a message of the reply are not readable.")
    return fields
