"""What we read from Bedrock. The events are as its documentation shows them."""

from pathlib import Path
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
from roo_code.providers.protocols.bedrock_events import BedrockDecoder
from roo_code.testing.bedrock_service import frame, message, text_header
from tests.providers.bedrock_frames import frames
from tests.providers.replies import chunks_of, message_of

FIXTURES = Path(__file__).parent / "fixtures" / "bedrock_converse"
THINKING = (FIXTURES / "thinking.events").read_text()
STOP = frame("messageStop", {"stopReason": "end_turn"})
END = frame("metadata", {"usage": {}})


async def read(*sent: bytes) -> Message:
    return await message_of(chunks_of(BedrockDecoder("bedrock"), sent))


async def fixture(name: str) -> Message:
    return await read(*frames((FIXTURES / f"{name}.events").read_text(encoding="utf-8")))


def delta(index: int, **delta: Any) -> bytes:
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})


def call(index: int, **fields: Any) -> bytes:
    return frame("contentBlockStart", {"contentBlockIndex": index, "start": {"toolUse": fields}})


@pytest.mark.requirement("providers:bedrock:native")
async def test_thinking_that_goes_back_and_calls() -> None:
    assert await fixture("thinking") == Message(
        role="assistant",
        content=(
            ReasoningContent(text="The user wants a file.", signature="EqQBCkgIARABGAIiQA=="),
            ReasoningContent(redacted="RW13S0FoZ0I="),
            ToolUseContent(id="tooluse_1", name="read_file", input={"path": "a"}),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=40, output_tokens=210),
    )


async def test_calls_side_by_side_in_pieces() -> None:
    reply = await fixture("parallel_tools")
    assert [(c.name, c.input) for c in reply.tool_uses] == [
        ("read_file", {"path": "a/ü.txt"}),
        ("list_files", {}),
    ]
    assert reply.text == "I look at both."


@pytest.mark.requirement("providers:usage:extracted")
async def test_cached_tokens_are_counted_apart() -> None:
    assert (await fixture("cached")).usage == Usage(
        input_tokens=4, output_tokens=3, cache_read_tokens=5000, cache_write_tokens=2000
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("max_tokens", "max_tokens"),
        ("stop_sequence", "stop_sequence"),
        ("guardrail_intervened", "refusal"),
        ("content_filtered", "refusal"),
        ("model_context_window_exceeded", "max_tokens"),
    ],
)
async def test_every_reason_to_stop_has_our_word(name: str, reason: str) -> None:
    assert (await fixture(name)).stop_reason == reason


async def test_a_call_that_was_cut_is_kept_and_marked() -> None:
    (cut,) = (await fixture("cut_call")).tool_uses
    assert cut.invalid_input == '{"path": "a", "cont'


@pytest.mark.parametrize("reason", ["malformed_model_output", "malformed_tool_use"])
async def test_a_reply_the_model_has_spoilt_is_a_failure(reason: str) -> None:
    with pytest.raises(ServerFailed, match=reason):
        await read(frame("messageStop", {"stopReason": reason}), END)


async def test_redacted_thinking_in_pieces_is_joined_as_bytes() -> None:
    pieces = [delta(0, reasoningContent={"redactedContent": part}) for part in ("YQ==", "Yg==")]
    stop = frame("contentBlockStop", {"contentBlockIndex": 0})
    assert (await read(*pieces, stop, STOP, END)).content == (ReasoningContent(redacted="YWI="),)
    assert (await read(*pieces, STOP, END)).content == (ReasoningContent(redacted="YWI="),)


async def test_a_reply_whose_usage_is_lost_is_whole() -> None:
    reply = await read(delta(0, text="Hi."), STOP)
    assert (reply.text, reply.stop_reason, reply.usage) == ("Hi.", "end_turn", Usage())


async def test_what_is_newer_than_this_program_is_skipped() -> None:
    newer = frame("contentBlockStart", {"contentBlockIndex": 0, "start": {"image": {}}})
    odd = delta(0, image={"source": {}})
    stop = frame("contentBlockStop", {"contentBlockIndex": 0})
    text = delta(1, text="Hi.")
    reply = await read(frame("somethingNew", {"a": 1}), newer, odd, stop, text, STOP, END)
    assert reply.content == (TextContent(text="Hi."),)


@pytest.mark.requirement("stream:abort:partial")
@pytest.mark.parametrize("length", range(len(THINKING.splitlines()) - 1))
async def test_a_reply_that_ends_early_was_cut(length: int) -> None:
    with pytest.raises(ConnectionCut, match="bedrock ended its reply before it was complete"):
        await read(*frames(THINKING)[:length])


@pytest.mark.parametrize(
    ("name", "expected", "words"),
    [
        ("throttled", RateLimited, "Too many tokens"),
        ("model_failed", ServerFailed, "broke off"),
        ("service_failed", ServerFailed, "internal server error"),
        ("unavailable", Overloaded, "unable to process"),
        ("invalid", BadRequest, "format of the value"),
        ("too_long", ContextTooLong, "Input is too long"),
    ],
)
async def test_an_exception_in_the_stream_is_a_typed_error(
    name: str, expected: type[RooCodeError], words: str
) -> None:
    with pytest.raises(RooCodeError, match=words) as raised:
        await fixture(f"errors/{name}")
    assert type(raised.value) is expected


async def test_errors_of_other_kinds_are_typed_too() -> None:
    named = [(":message-type", "error"), (":error-code", "AccessDeniedException")]
    told = message(b"".join(text_header(*header) for header in named), b"")
    with pytest.raises(AuthenticationFailed):
        await read(told)
    with pytest.raises(ServerFailed, match="newerException"):
        await read(frame("newerException", {}, "exception"))


@pytest.mark.parametrize(
    "wrong",
    [
        frame("contentBlockDelta", {"delta": {"text": "x"}}),
        frame("contentBlockDelta", {"contentBlockIndex": "0", "delta": {}}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": "x"}),
        frame("contentBlockDelta", [1]),
        delta(0, text=5),
        delta(0, toolUse={"input": "{}"}),
        delta(0, reasoningContent={"redactedContent": "no base64"}),
        call(0, toolUseId="1"),
        call(0, toolUseId=1, name="x"),
        frame("metadata", {"usage": {"inputTokens": "many"}}),
        frame("messageStop", {"stopReason": 7}),
    ],
)
async def test_a_wrong_shape_is_a_protocol_error(wrong: bytes) -> None:
    with pytest.raises(ProtocolError):
        await read(wrong, STOP, END)


async def test_a_piece_of_the_wrong_kind_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="kind text came for a block of kind toolUse"):
        await read(call(0, toolUseId="1", name="x"), delta(0, text="x"))
    with pytest.raises(ProtocolError, match="came for block 0"):
        await read(delta(0, text="x"), delta(0, toolUse={"input": "{}"}))
