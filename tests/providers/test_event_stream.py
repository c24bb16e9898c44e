"""Amazon's event stream, however it arrives; botocore's own reader is the judge."""

from importlib import import_module
from pathlib import Path
from struct import pack
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.errors import ProtocolError
from roo_code.providers.event_stream import EventStreamParser
from roo_code.providers.framing import LARGEST_EVENT, WireEvent
from roo_code.testing.bedrock_service import frame, message, text_header
from tests.providers.bedrock_frames import frames_of

FIXTURES = sorted((Path(__file__).parent / "fixtures" / "bedrock_converse").glob("**/*.events"))
headers = st.lists(st.tuples(st.text(max_size=10), st.text(max_size=30)), max_size=4)


def read(*parts: bytes) -> list[WireEvent]:
    parser = EventStreamParser()
    return [event for part in parts for event in parser.feed(part)] + list(parser.finish())


def read_by_botocore(data: bytes) -> list[WireEvent]:
    buffer: Any = import_module("botocore.eventstream").EventStreamBuffer()  # it has no types
    buffer.add_data(data)
    return [
        WireEvent(m.headers.get(":event-type") or m.headers.get(":exception-type"), m.payload)
        for m in buffer
    ]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_events_are_those_that_botocore_reads(path: Path, size: int) -> None:
    data = frames_of(path)
    parts = [data[n : n + size] for n in range(0, len(data), size)]
    assert read(*parts) == read_by_botocore(data)


@settings(deadline=None)
@given(headers, st.binary(max_size=200), st.integers(1, 60))
def test_any_message_is_read_as_botocore_does(
    named: list[tuple[str, str]], payload: bytes, size: int
) -> None:
    named = [*dict(named).items(), (":event-type", "e")]
    data = message(b"".join(text_header(*header) for header in named), payload)
    parts = [data[n : n + size] for n in range(0, len(data), size)]
    assert read(*parts) == read_by_botocore(data) == [WireEvent("e", payload)]


def test_headers_of_every_type_are_passed_over() -> None:
    odd = [
        b"\x00",
        b"\x01",
        b"\x02\x05",
        b"\x03\x00\x05",
        b"\x04\x00\x00\x00\x05",
        b"\x05" + bytes(8),
        b"\x06\x00\x03abc",
        b"\x08" + bytes(8),
        b"\x09" + bytes(16),
    ]
    typed = b"".join(b"\x01" + str(n).encode() + value for n, value in enumerate(odd))
    data = message(typed + text_header(":event-type", "metadata"), b"{}")
    assert read(data) == read_by_botocore(data) == [WireEvent("metadata", b"{}")]


def test_an_error_tells_all_in_its_headers() -> None:
    named = [(":message-type", "error"), (":error-code", "InternalError"), (":error-message", "No")]
    data = message(b"".join(text_header(*header) for header in named), b"")
    assert read(data) == [WireEvent("error", b'{"type":"InternalError","message":"No"}')]


@pytest.mark.parametrize("place", range(len(frame("metadata", {"a": 1}))))
def test_one_wrong_byte_anywhere_is_noticed(place: int) -> None:
    data = bytearray(frame("metadata", {"a": 1}))
    data[place] ^= 0x20
    with pytest.raises(ProtocolError):
        read(bytes(data), frame("metadata", {"a": 1}))


def test_half_a_message_is_none() -> None:
    whole = frame("metadata", {"a": 1})
    assert read(whole, whole[:-1]) == read(whole)
    assert read(whole[:5]) == read() == []


@pytest.mark.parametrize(
    ("size", "headers_size", "words"),
    [
        (15, 0, "shorter"),
        (30, 20, "shorter"),
        (LARGEST_EVENT + 1, 0, "larger"),
        (2**32 - 1, 2**32 - 1, "shorter"),
    ],
)
def test_impossible_lengths_are_told_before_anything_is_held(
    size: int, headers_size: int, words: str
) -> None:
    lengths = pack("!II", size, headers_size)
    with pytest.raises(ProtocolError, match=words):
        read(lengths + pack("!I", crc32(lengths)))


@pytest.mark.parametrize(
    "unreadable",
    [b"\x05ab", b"\x01a\x63", b"\x01a\x07\x00\x09abc", b"\x01\xff\x07\x00\x00", b"\x01a\x07\x00"],
)
def test_unreadable_headers_are_a_protocol_error(unreadable: bytes) -> None:
    with pytest.raises(ProtocolError, match="headers"):
        read(message(unreadable, b"{}"))


def test_a_web_page_is_no_event_stream() -> None:
    with pytest.raises(ProtocolError, match="not an event stream"):
        read(b"<html><body>Welcome</body></html>")


def test_a_long_message_in_many_pieces_is_joined_once() -> None:
    data = frame("contentBlockDelta", {"text": "x" * 3_000_000})
    parser = EventStreamParser()
    pieces = [data[n : n + 1000] for n in range(0, len(data), 1000)]
    found = [event for piece in pieces for event in parser.feed(piece)]
    assert [len(event.data) for event in found] == [3_000_011]
