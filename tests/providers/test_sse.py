"""Events out of bytes that may be split anywhere."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.errors import ProtocolError
from roo_code.providers import sse
from roo_code.providers.framing import WireEvent
from roo_code.providers.sse import SseParser


def parse(*chunks: bytes) -> list[WireEvent]:
    parser = SseParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return [*events, *parser.finish()]


def test_events_have_a_name_and_data() -> None:
    assert parse(b"event: a\ndata: 1\n\ndata: 2\n\n") == [WireEvent("a", b"1"), WireEvent("", b"2")]


def test_comments_unknown_fields_and_blank_lines_are_skipped() -> None:
    text = b": keep-alive\n\n\nid: 7\nretry: 5\ndata: x\n: more\n\nevent: lonely\n\n"
    assert parse(text) == [WireEvent("", b"x")]


def test_several_data_lines_are_one_text_of_lines() -> None:
    assert parse(b"data: a\ndata:\ndata:b\ndata:  c\n\n") == [WireEvent("", b"a\n\nb\n c")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_any_line_end_will_do(end: bytes) -> None:
    lines = [b"event: e", b"data: 1", b"data: 2", b"", b"data: 3", b"", b""]
    assert parse(end.join(lines)) == [WireEvent("e", b"1\n2"), WireEvent("", b"3")]


def test_a_byte_order_mark_is_skipped() -> None:
    assert parse(b"\xef\xbb\xbfdata: 1\n\n") == [WireEvent("", b"1")]


def test_at_the_end_whole_lines_count_and_a_broken_one_does_not() -> None:
    assert parse(b"data: 1\n\ndata: 2\n") == [WireEvent("", b"1"), WireEvent("", b"2")]
    assert parse(b'data: 1\n\ndata: {"cut') == [WireEvent("", b"1")]
    assert parse(b"data: 1\n\ndata: [DONE]") == [WireEvent("", b"1"), WireEvent("", b"[DONE]")]


def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LARGEST_EVENT", 1000)
    parser = SseParser()
    for _ in range(50):
        assert list(parser.feed(b"data: xxxxxxxxxx\n")) == []
    with pytest.raises(ProtocolError, match="larger than any model sends"):
        list(parser.feed(b"y" * 600))


texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)
events = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), max_size=8)
ends = st.sampled_from(["\n", "\r\n", "\r"])


@settings(deadline=None)
@given(events, ends, st.data())
def test_where_the_bytes_are_split_makes_no_difference(
    sent: list[tuple[str, list[str]]], end: str, data: st.DataObject
) -> None:
    text = "".join(
        f"event: {name}{end}" + "".join(f"data: {line}{end}" for line in lines) + end
        for name, lines in sent
    ).encode()
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    places = sorted({0, len(text), *cuts})
    chunks = [text[a:b] for a, b in pairwise(places)]
    assert parse(*chunks) == [WireEvent(name, "\n".join(lines).encode()) for name, lines in sent]


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(1, 7))
def test_any_bytes_are_taken_and_splitting_them_changes_nothing(text: bytes, size: int) -> None:
    chunks = [text[n : n + size] for n in range(0, len(text), size)]
    assert parse(*chunks) == parse(text)
