"""A retried reply is shown once."""

from roo_code.errors import ConnectionCut
from roo_code.events import (
    Event,
    ProviderSwitched,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    TextDelta,
    ToolInputDelta,
)
from roo_code.messages import TextContent, ToolUseContent
from roo_code.reply_view import ReplyView
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    MessageStop,
    StreamChunk,
    StreamRetry,
    StreamSwitch,
)

STOP = MessageStop()
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


def thought(*words: str) -> list[StreamChunk]:
    return [BlockDelta(0, "reasoning", word) for word in words]


def test_reasoning_is_not_repeated_either() -> None:
    events = shown(*thought("Hm, ", "so"), *text("Yes"), RETRY, *thought("Hm, so"), *text("Yes."))
    assert events[3:] == [RETRIED, TextDelta(text=".")]


def test_other_reasoning_starts_over_too() -> None:
    events = shown(*thought("Hm"), *text("Yes"), RETRY, *thought("H", "a", "!"), *text("Yes"))
    assert events[2:] == [
        RETRIED,
        ReplyRestarted(),
        ReasoningDelta(text="Ha"),
        ReasoningDelta(text="!"),
        TextDelta(text="Yes"),
    ]


def test_a_repeat_that_says_less_starts_over_at_its_end() -> None:
    events = shown(*thought("Hm"), *text("Yes, well"), RETRY, *thought("Hm"), *text("Yes"), STOP)
    assert events[3:] == [ReplyRestarted(), ReasoningDelta(text="Hm"), TextDelta(text="Yes")]


def test_another_provider_is_told_of_and_its_reply_shown_once() -> None:
    switch = StreamSwitch("a", "b", ConnectionCut("gone"), 60)
    back = StreamSwitch("b", "a", None, 0)
    assert shown(back, *text("Hi"), switch, *text("Hi", " you")) == [
        ProviderSwitched(previous="b", current="a"),
        TextDelta(text="Hi"),
        ProviderSwitched(previous="a", current="b", error="gone", kind="ConnectionCut", seconds=60),
        TextDelta(text=" you"),
    ]
