"""ApiStream: chunks in, a whole message out."""

from collections.abc import AsyncGenerator

import pytest

from roo_code.errors import ConnectionCut, ProtocolError
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.stream import (
    ApiStream,
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
    StreamRetry,
)

CALL = ToolUseContent(id="1", name="read_file")
REPLY: list[StreamChunk] = [
    MessageStart({"input_tokens": 10, "cache_read_tokens": 5}, "m"),
    BlockStart(0, ReasoningContent()),
    BlockDelta(0, "reasoning", "Hm"),
    BlockDelta(0, "reasoning", "m."),
    BlockDelta(0, "signature", "sig"),
    BlockStop(0),
    BlockStart(1, TextContent(text="")),
    BlockDelta(1, "text", "Hel"),
    BlockDelta(1, "text", "lo."),
    BlockStop(1),
    BlockStart(2, CALL),
    BlockDelta(2, "json", '{"pa'),
    BlockDelta(2, "json", 'th": "a"}'),
    BlockStop(2),
    MessageDelta("tool_use", {"output_tokens": 7}),
    MessageStop(),
]


async def send(*chunks: StreamChunk) -> AsyncGenerator[StreamChunk]:
    for chunk in chunks:
        yield chunk


def stream_of(*chunks: StreamChunk) -> ApiStream:
    return ApiStream(send(*chunks))


@pytest.mark.requirement("stream:state:initial")
def test_a_new_stream_has_seen_nothing() -> None:
    underlying = send()
    stream = ApiStream(underlying)
    assert stream._stream is underlying
    assert stream._content_blocks == []
    assert stream._stop_reason is None
    assert stream._usage == {}
    assert not stream.complete


@pytest.mark.requirement("stream:iterate:yields-chunks")
async def test_every_chunk_comes_once_in_order_and_nothing_after_the_end() -> None:
    stream = stream_of(*REPLY, BlockStop(9))
    assert [chunk async for chunk in stream.stream()] == REPLY
    assert [chunk async for chunk in stream.stream()] == []


@pytest.mark.requirement("stream:iterate:yields-chunks")
async def test_a_chunk_is_passed_on_before_the_next_one_is_asked_for() -> None:
    given: list[StreamChunk] = []
    passed: list[StreamChunk] = []

    async def source() -> AsyncGenerator[StreamChunk]:
        for chunk in REPLY:
            given.append(chunk)
            yield chunk

    async for chunk in ApiStream(source()).stream():
        passed.append(chunk)
        assert given == passed


@pytest.mark.requirement(
    "stream:final:message", "stream:chunk:text-delta", "stream:reasoning:separate"
)
async def test_the_final_message_is_the_whole_reply() -> None:
    assert await stream_of(*REPLY).get_final_message() == Message(
        role="assistant",
        content=(
            ReasoningContent(text="Hmm.", signature="sig"),
            TextContent(text="Hello."),
            ToolUseContent(id="1", name="read_file", input={"path": "a"}),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=10, cache_read_tokens=5, output_tokens=7),
        model="m",
    )


async def test_the_final_message_drains_what_a_reader_left() -> None:
    stream = stream_of(*REPLY)
    async for chunk in stream.stream():
        if isinstance(chunk, BlockDelta):
            break
    assert (await stream.get_final_message()).text == "Hello."


@pytest.mark.requirement("stream:final:tool-uses")
async def test_tool_uses_are_the_calls_alone_in_order() -> None:
    stream = stream_of(
        BlockStart(0, CALL),
        BlockStart(1, TextContent(text="x")),
        BlockStart(2, ToolUseContent(id="2", name="b")),
        MessageStop(),
    )
    assert stream.get_tool_uses() == ()
    await stream.get_final_message()
    assert [call.id for call in stream.get_tool_uses()] == ["1", "2"]


@pytest.mark.requirement(
    "stream:chunk:message-start",
    "stream:chunk:block-start",
    "stream:chunk:json-delta",
    "stream:chunk:message-delta",
    "stream:usage:live",
)
async def test_the_state_follows_the_chunks() -> None:
    stream = stream_of(*REPLY)
    seen: dict[str, object] = {}
    async for chunk in stream.stream():
        if isinstance(chunk, MessageStart):
            seen["start"] = stream.usage
        elif isinstance(chunk, BlockStart):
            assert stream._content_blocks[-1] == chunk.block
        elif isinstance(chunk, BlockStop) and chunk.index == 2:
            seen["call"] = stream._content_blocks[2]
        elif isinstance(chunk, MessageDelta):
            seen["end"] = (stream._stop_reason, stream.usage.output_tokens)
    assert seen == {
        "start": Usage(input_tokens=10, cache_read_tokens=5),
        "call": ToolUseContent(id="1", name="read_file", input={"path": "a"}),
        "end": ("tool_use", 7),
    }


@pytest.mark.requirement("stream:chunk:bad-json")
@pytest.mark.parametrize("text", ['{"path": ', "[1]", "null", "nonsense", '{"a": NaN}'])
async def test_input_that_is_no_object_is_kept_and_marked(text: str) -> None:
    stream = stream_of(
        BlockStart(0, CALL), BlockDelta(0, "json", text), BlockStop(0), MessageStop()
    )
    reply = await stream.get_final_message()
    assert reply.tool_uses == (CALL.replace(invalid_input=text),)


@pytest.mark.parametrize("text", ["", "  ", "{}"])
async def test_no_input_is_an_empty_object(text: str) -> None:
    stream = stream_of(BlockStart(0, CALL), BlockDelta(0, "json", text), MessageStop())
    assert (await stream.get_final_message()).tool_uses == (CALL,)


@pytest.mark.requirement("stream:chunk:view-kinds", "stream:reasoning:separate")
async def test_the_flat_view_has_three_kinds() -> None:
    assert [chunk async for chunk in stream_of(*REPLY).chunks()] == [
        {"type": "usage", "inputTokens": 10, "outputTokens": 0},
        {"type": "reasoning", "text": "Hm"},
        {"type": "reasoning", "text": "m."},
        {"type": "text", "text": "Hel"},
        {"type": "text", "text": "lo."},
        {"type": "usage", "inputTokens": 10, "outputTokens": 7},
    ]


@pytest.mark.requirement("stream:abort:partial")
async def test_a_reply_that_was_cut_off_is_never_a_message() -> None:
    stream = stream_of(*REPLY[:-1])
    with pytest.raises(ConnectionCut):
        await stream.get_final_message()
    assert not stream.complete
    assert stream.get_tool_uses() == ()


@pytest.mark.requirement("stream:abort:partial")
async def test_a_closed_stream_is_never_a_message() -> None:
    stream = stream_of(*REPLY)
    async for chunk in stream.stream():
        if isinstance(chunk, BlockDelta) and chunk.kind == "json":
            break
    await stream.aclose()
    with pytest.raises(ConnectionCut):
        await stream.get_final_message()
    assert stream.get_tool_uses() == ()


async def test_a_retry_voids_all_that_came_before() -> None:
    failed = [*REPLY[:8], MessageDelta(None, {"output_tokens": 9}, 0.5)]
    stream = stream_of(*failed, StreamRetry(1, 0, ConnectionCut("x")), *REPLY)
    assert await stream.get_final_message() == await stream_of(*REPLY).get_final_message()


async def test_a_piece_of_a_block_that_is_not_open_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="block 3"):
        await stream_of(BlockDelta(3, "text", "x"), MessageStop()).get_final_message()


async def test_what_a_service_says_it_charged_is_the_cost() -> None:
    stream = stream_of(MessageDelta("end_turn", {}, 0.25), MessageDelta(None), MessageStop())
    assert (await stream.get_final_message()).usage == Usage(cost=0.25)
