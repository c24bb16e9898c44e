"""What we read from Anthropic. The events are as its documentation shows them."""

from typing import Any

import pytest

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ConnectionCut,
    ContextTooLong,
    Overloaded,
    ProtocolError,
    RateLimited,
    RooCodeError,
    ServerFailed,
)
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.providers.protocols.anthropic_events import AnthropicDecoder
from tests.providers.replies import chunks_of, event, message_of

START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 3,
            "cache_read_input_tokens": 200,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    },
}
STOP = {"type": "message_stop"}


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


REPLY: list[dict[str, Any]] = [
    START,
    start(0, type="thinking", thinking="", signature=""),
    delta(0, type="thinking_delta", thinking="Let me "),
    {"type": "ping"},
    delta(0, type="thinking_delta", thinking="see."),
    delta(0, type="signature_delta", signature="EqQB"),
    stop(0),
    start(1, type="redacted_thinking", data="EmwK"),
    stop(1),
    start(2, type="text", text=""),
    delta(2, type="text_delta", text="I "),
    delta(2, type="text_delta", text="look."),
    stop(2),
    start(3, type="tool_use", id="toolu_1", name="read_file", input={}),
    delta(3, type="input_json_delta", partial_json=""),
    delta(3, type="input_json_delta", partial_json='{"path": "a'),
    delta(3, type="input_json_delta", partial_json='.txt"}'),
    stop(3),
    start(4, type="tool_use", id="toolu_2", name="list_files", input={}),
    stop(4),
    end("tool_use", output_tokens=89),
    STOP,
]


async def read(*events: Any) -> Message:
    return await message_of(chunks_of(AnthropicDecoder("anthropic"), map(event, events)))


@pytest.mark.requirement("providers:anthropic:native", "providers:usage:extracted")
async def test_a_reply_with_thinking_text_calls_and_cache_counts() -> None:
    assert await read(*REPLY) == Message(
        role="assistant",
        content=(
            ReasoningContent(text="Let me see.", signature="EqQB"),
            ReasoningContent(redacted="EmwK"),
            TextContent(text="I look."),
            ToolUseContent(id="toolu_1", name="read_file", input={"path": "a.txt"}),
            ToolUseContent(id="toolu_2", name="list_files"),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=10, output_tokens=89, cache_read_tokens=200, cache_write_tokens=3),
        model="claude-sonnet-4-5-20250929",
    )


@pytest.mark.requirement("stream:chunk:bad-json")
async def test_a_call_whose_input_is_no_json_is_kept_and_marked() -> None:
    reply = await read(
        start(0, type="tool_use", id="1", name="read_file", input={}),
        delta(0, type="input_json_delta", partial_json='{"path'),
        end("max_tokens"),
        STOP,
    )
    assert reply.tool_uses == (ToolUseContent(id="1", name="read_file", invalid_input='{"path'),)
    assert reply.stop_reason == "max_tokens"


async def test_what_is_newer_than_this_program_is_skipped() -> None:
    reply = await read(
        {"type": "something_new", "data": 1},
        start(0, type="server_tool_use", id="1", name="web_search", input={}),
        delta(0, type="input_json_delta", partial_json="{}"),
        stop(0),
        start(1, type="text", text="Hi"),
        delta(1, type="citations_delta", citation={}),
        delta(1, type="text_delta", text="."),
        end(),
        STOP,
    )
    assert reply.content == (TextContent(text="Hi."),)


async def test_the_name_of_the_event_will_do_where_its_type_is_missing() -> None:
    sent = [event(start(0, type="text", text="Hi.")), event({}, "message_stop")]
    reply = await message_of(chunks_of(AnthropicDecoder("x"), sent))
    assert reply.text == "Hi."


async def test_the_last_word_on_usage_is_the_end_of_the_reply() -> None:
    reply = await read(START, end(input_tokens=50, output_tokens=9), STOP)
    assert reply.usage == Usage(
        input_tokens=50, output_tokens=9, cache_read_tokens=200, cache_write_tokens=3
    )


@pytest.mark.requirement("stream:abort:partial")
@pytest.mark.parametrize("length", range(len(REPLY)))
async def test_a_reply_that_ends_early_was_cut(length: int) -> None:
    with pytest.raises(ConnectionCut, match="anthropic ended its reply before it was complete"):
        await read(*REPLY[:length])


@pytest.mark.parametrize(
    ("type", "message", "expected"),
    [
        ("overloaded_error", "Overloaded", Overloaded),
        ("rate_limit_error", "Slow down", RateLimited),
        ("api_error", "Internal server error", ServerFailed),
        ("authentication_error", "invalid x-api-key", AuthenticationFailed),
        ("invalid_request_error", "tools: bad", BadRequest),
        ("invalid_request_error", "prompt is too long: 9 > 8", ContextTooLong),
        ("something_new", "?", ServerFailed),
    ],
)
async def test_an_error_in_the_stream_is_a_typed_error(
    type: str, message: str, expected: type[RooCodeError]
) -> None:
    with pytest.raises(expected) as raised:
        await read(START, {"type": "error", "error": {"type": type, "message": message}})
    assert str(raised.value) == f"anthropic: {message}"


@pytest.mark.parametrize(
    "wrong",
    [
        "not json",
        "[1]",
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_delta", "index": "0", "delta": {}},
        delta(0, type="text_delta", text="x"),
        {"type": "content_block_start", "index": 0, "content_block": []},
        start(0, type="text", text=5),
        start(0, type="tool_use", id="1", input={}),
        start(0, type="tool_use", id="1", name="x", input="{}"),
        {"type": "message_start", "message": {"usage": {"input_tokens": "many"}}},
        {"type": "message_delta", "delta": "end"},
    ],
)
async def test_a_wrong_shape_is_a_protocol_error(wrong: Any) -> None:
    with pytest.raises(ProtocolError):
        await read(wrong, STOP)


async def test_a_piece_of_the_wrong_kind_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="kind json came for a block of kind text"):
        await read(
            start(0, type="text", text=""), delta(0, type="input_json_delta", partial_json="{}")
        )
