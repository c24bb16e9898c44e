"""One model reply as it arrives: chunks in, a whole message out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypedDict, assert_never

from pydantic_core import from_json

from roo_code.messages import (
    ContentBlock,
    Message,
    ReasoningContent,
    TextContent,
    ToolUseContent,
    Usage,
)

# Chunks are named tuples, not models: one is made for every few characters that arrive.


class MessageStart(NamedTuple):
    type: ClassVar[Literal["message_start"]] = "message_start"
    usage: dict[str, int] = {}
    model: str | None = None


class BlockStart(NamedTuple):
    type: ClassVar[Literal["content_block_start"]] = "content_block_start"
    index: int
    block: TextContent | ReasoningContent | ToolUseContent


class BlockDelta(NamedTuple):
    type: ClassVar[Literal["content_block_delta"]] = "content_block_delta"
    index: int
    kind: Literal["text", "reasoning", "signature", "json"]
    text: str


class BlockStop(NamedTuple):
    type: ClassVar[Literal["content_block_stop"]] = "content_block_stop"
    index: int


class MessageDelta(NamedTuple):
    type: ClassVar[Literal["message_delta"]] = "message_delta"
    stop_reason: str | None = None
    usage: dict[str, int] = {}
    cost: float | None = None


class MessageStop(NamedTuple):
    type: ClassVar[Literal["message_stop"]] = "message_stop"


class StreamRetry(NamedTuple):
    """The attempt failed and will be made anew after `delay`; what came so far is void."""

    type: ClassVar[Literal["stream_retry"]] = "stream_retry"
    attempt: int
    delay: float
    error: Exception


StreamChunk: TypeAlias = (
    MessageStart | BlockStart | BlockDelta | BlockStop | MessageDelta | MessageStop | StreamRetry
)


class TextChunk(TypedDict):
    type: Literal["text"]
    text: str


class ReasoningChunk(TypedDict):
    type: Literal["reasoning"]
    text: str


class UsageChunk(TypedDict):
    type: Literal["usage"]
    inputTokens: int
    outputTokens: int


FlatChunk: TypeAlias = TextChunk | ReasoningChunk | UsageChunk


class _Block:
    """A content block while it grows."""

    def __init__(self, block: TextContent | ReasoningContent | ToolUseContent) -> None:
        self.block = block
        self.pieces: list[str] = []
        self.signature: list[str] = []

    def add(self, delta: BlockDelta) -> None:
        (self.signature if delta.kind == "signature" else self.pieces).append(delta.text)

    def finish(self) -> ContentBlock:
        """The block with all that was added to it; safe to call twice."""
        joined = "".join(self.pieces)
        block = self.block
        if isinstance(block, TextContent):
            return TextContent(text=block.text + joined)
        if isinstance(block, ReasoningContent):
            signature = (block.signature or "") + "".join(self.signature) or None
            return block.model_copy(update={"text": block.text + joined, "signature": signature})
        return _parse_input(block, joined) if joined else block


def _parse_input(call: ToolUseContent, text: str) -> ToolUseContent:
    try:
        parsed: Any = from_json(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return call.model_copy(update={"input": parsed})
    return call.model_copy(update={"invalid_input": text})


class ApiStream:
    """Iterate `stream()` for chunks; afterwards `get_final_message()` is the whole reply."""

    def __init__(self, stream: AsyncIterator[StreamChunk]) -> None:
        self._stream = stream
        self._content_blocks: list[_Block] = []
        self._by_index: dict[int, _Block] = {}
        self._stop_reason: str | None = None
        self._usage: dict[str, int] = {}
        self._cost: float | None = None
        self._model: str | None = None
        self._complete = False

    async def stream(self) -> AsyncGenerator[StreamChunk]:
        """Yield every chunk once, as it arrives."""
        async for chunk in self._stream:
            self._note(chunk)
            yield chunk
            if self._complete:
                return

    async def chunks(self) -> AsyncGenerator[FlatChunk]:
        """The same reply as the three flat kinds: text, reasoning, usage."""
        async for chunk in self.stream():
            if isinstance(chunk, BlockDelta):
                if chunk.kind == "text":
                    yield TextChunk(type="text", text=chunk.text)
                elif chunk.kind == "reasoning":
                    yield ReasoningChunk(type="reasoning", text=chunk.text)
            elif isinstance(chunk, MessageStart | MessageDelta) and chunk.usage:
                yield UsageChunk(
                    type="usage",
                    inputTokens=self._usage.get("input_tokens", 0),
                    outputTokens=self._usage.get("output_tokens", 0),
                )

    async def get_final_message(self) -> Message:
        """Drain what is left and return the whole reply."""
        async for _ in self.stream():
            pass
        content = tuple(block.finish() for block in self._content_blocks)
        return Message(
            role="assistant",
            content=tuple(b for b in content if not isinstance(b, TextContent) or b.text),
            stop_reason=self._stop_reason,
            usage=self.usage,
            model=self._model,
        )

    def get_tool_uses(self) -> tuple[ToolUseContent, ...]:
        """The calls that arrived whole; none of a reply that was cut off."""
        if not self._complete:
            return ()
        blocks = (block.finish() for block in self._content_blocks)
        return tuple(block for block in blocks if isinstance(block, ToolUseContent))

    @property
    def usage(self) -> Usage:
        """Token counts so far; they grow while the reply arrives."""
        return Usage(cost=self._cost, **self._usage)

    @property
    def complete(self) -> bool:
        """False while the reply arrives, and for ever if it was cut off."""
        return self._complete

    async def aclose(self) -> None:
        """Close the connection under the stream."""
        if isinstance(self._stream, AsyncGenerator):
            await self._stream.aclose()

    def _note(self, chunk: StreamChunk) -> None:
        if isinstance(chunk, BlockDelta):
            self._by_index[chunk.index].add(chunk)
        elif isinstance(chunk, BlockStart):
            self._by_index[chunk.index] = block = _Block(chunk.block)
            self._content_blocks.append(block)
        elif isinstance(chunk, MessageStart):
            self._usage.update(chunk.usage)
            self._model = chunk.model
        elif isinstance(chunk, MessageDelta):
            self._usage.update(chunk.usage)
            self._stop_reason = chunk.stop_reason or self._stop_reason
            self._cost = chunk.cost if chunk.cost is not None else self._cost
        elif isinstance(chunk, MessageStop):
            self._complete = True
        elif isinstance(chunk, StreamRetry):
            self._forget()
        elif not isinstance(chunk, BlockStop):  # pyright: ignore[reportUnnecessaryIsInstance]
            assert_never(chunk)

    def _forget(self) -> None:
        self._content_blocks.clear()
        self._by_index.clear()
        self._stop_reason = None
        self._usage.clear()
