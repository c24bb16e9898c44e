"""A retried reply is shown once."""

from roo_code.errors import ConnectionCut
from roo_code.events import (
    Event,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    TextDelta,
    ToolInputDelta,
)
from roo_code.messages import TextContent, ToolUseContent
from roo_code.reply_view import ReplyView
from roo_code.stream import BlockDelta, BlockStart, StreamChunk, StreamRetry

RETRY = StreamRetry(1, 0.5, ConnectionCut("gone"))
RETRIED = RequestRetried(attempt=1, delay=0.5, error="gone", kind="ConnectionCut")


def shown(*chunks: StreamChunk) -> list[Event]:
    view = ReplyView()
    return [event for chunk in chunks for event in view.show(chunk)]


def text(*words: str) -> list[StreamChunk]:
    start = BlockStart(0, TextContent(text=""))
    return [start, *(BlockDelta(0, "text", word) for word in words)]


def test_a_reply_is_shown_as_it_comes() -> None:
    call = ToolUseContent(id="1", name="ping")
    chunks = [
        *text("Hel", "lo"),
        BlockDelta(0, "reasoning", "hm"),
        BlockStart(1, call),
        BlockDelta(1, "json", '{"a":'),
        BlockDelta(1, "signature", "abc"),
    ]
    assert shown(*chunks) == [
        TextDelta(text="Hel"),
        TextDelta(text="lo"),
        ReasoningDelta(text="hm"),
        ToolInputDelta(tool_use_id="1", name="ping", partial_json='{"a":'),
    ]


def test_a_repeat_that_says_the_same_is_shown_from_where_it_was_cut() -> None:
    events = shown(*text("Hello, ", "wor"), RETRY, *text("Hel", "lo, world", "!"))
    assert events == [
        TextDelta(text="Hello, "),
        TextDelta(text="wor"),
        RETRIED,
        TextDelta(text="ld"),
        TextDelta(text="!"),
    ]


def test_a_repeat_that_says_something_else_starts_over() -> None:
    events = shown(*text("Hello"), RETRY, *text("Hel", "p me"))
    assert events == [
        TextDelta(text="Hello"),
        RETRIED,
        ReplyRestarted(),
        TextDelta(text="Help me"),
    ]


def test_two_cuts_in_a_row_repeat_nothing() -> None:
    events = shown(*text("Hello"), RETRY, *text("He"), RETRY, *text("Hello!"))
    assert events == [TextDelta(text="Hello"), RETRIED, RETRIED, TextDelta(text="!")]
