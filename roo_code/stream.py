"""One model reply as it arrives: chunks in, a whole message out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, assert_never

from roo_code.errors import ConnectionCut, ProtocolError
from roo_code.json_text import from_json
from roo_code.messages import (
    ContentBlock,
    Message,
    ReasoningContent,
    TextContent,
    ToolUseContent,
    Usage,
)

# Chunks are named tuples, not models: one is made for every few characters that arrive.
# `type` has no annotation, or it would be a field of the tuple.


class MessageStart(NamedTuple):
    type = "message_start"
    usage: dict[str, int] = {}  # noqa: RUF012 - never changed
    model: str | None = None


class BlockStart(NamedTuple):
    type = "content_block_start"
    index: int  # pyright: ignore[reportIncompatibleMethodOverride] - tuples have one
    block: TextContent | ReasoningContent | ToolUseContent


class BlockDelta(NamedTuple):
    type = "content_block_delta"
    index: int  # pyright: ignore[reportIncompatibleMethodOverride] - tuples have one
    kind: Literal["text", "reasoning", "signature", "json"]
    text: str


class BlockStop(NamedTuple):
    type = "content_block_stop"
    index: int  # pyright: ignore[reportIncompatibleMethodOverride] - tuples have one


class MessageDelta(NamedTuple):
    type = "message_delta"
    stop_reason: str | None = None
    usage: dict[str, int] = {}  # noqa: RUF012 - never changed
    cost: float | None = None


class MessageStop(NamedTuple):
    type = "message_stop"


class StreamRetry(NamedTuple):
    """The attempt failed and will be made anew after `delay`; what came so far is void."""

    type = "stream_retry"
    attempt: int
    """Which one failed, counted from 1."""
    delay: float
    error: Exception


class StreamSwitch(NamedTuple):
    """Another provider answers from here on; what came so far is void."""

    type = "stream_switch"
    previous: str
    current: str
    error: Exception | None
    """Why; None where the first one is tried again."""
    seconds: float
    """How long the previous one is left alone."""


StreamChunk: TypeAlias = (
    MessageStart
    | BlockStart
    | BlockDelta
    | BlockStop
    | MessageDelta
    | MessageStop
    | StreamRetry
    | StreamSwitch
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


class _Growing:
    """What is added to a content block until it is whole."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.pieces: list[str] = []
        self.signature: list[str] = []

    def finish(self, block: ContentBlock) -> ContentBlock:
        joined = "".join(self.pieces)
        if isinstance(block, TextContent):
            return block.replace(text=block.text + joined)
        if isinstance(block, ReasoningContent):
            signature = (block.signature or "") + "".join(self.signature) or None
            return block.replace(text=block.text + joined, signature=signature)
        if isinstance(block, ToolUseContent) and joined.strip():
            return _parse_input(block, joined)
        return block


def _parse_input(call: ToolUseContent, text: str) -> ToolUseContent:
    try:
        parsed: Any = from_json(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return call.replace(input=parsed)
    return call.replace(invalid_input=text)


class ApiStream:
    """Iterate `stream()` for chunks; afterwards `get_final_message()` is the whole reply."""

    def __init__(self, stream: AsyncIterator[StreamChunk]) -> None:
        self._stream = stream
        self._content_blocks: list[ContentBlock] = []
        self._growing: dict[int, _Growing] = {}
        self._stop_reason: str | None = None
        self._usage: dict[str, int] = {}
        self._cost: float | None = None
        self._model: str | None = None
        self._complete = False

    async def stream(self) -> AsyncGenerator[StreamChunk]:
        """Yield every chunk once, as it arrives."""
        if self._complete:
            return
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
        """Drain what is left and return the whole reply.

        Raises:
            ConnectionCut: The reply was cut off, so that nothing in it may be acted upon.
        """
        async for _ in self.stream():
            pass
        if not self._complete:
            raise ConnectionCut("The model's reply ended before it was complete.")
        return Message(
            role="assistant",
            content=tuple(block for block in self._content_blocks if not _is_empty(block)),
            stop_reason=self._stop_reason,
            usage=self.usage,
            model=self._model,
        )

    def get_tool_uses(self) -> tuple[ToolUseContent, ...]:
        """The calls that arrived whole; none of a reply that was cut off."""
        if not self._complete:
            return ()
        return tuple(b for b in self._content_blocks if isinstance(b, ToolUseContent))

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
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()

    def _note(self, chunk: StreamChunk) -> None:
        if isinstance(chunk, BlockDelta):
            self._grow(chunk)
        elif isinstance(chunk, BlockStart):
            self._finish_block(chunk.index)
            self._growing[chunk.index] = _Growing(len(self._content_blocks))
            self._content_blocks.append(chunk.block)
        elif isinstance(chunk, BlockStop):
            self._finish_block(chunk.index)
        elif isinstance(chunk, MessageStart):
            self._usage.update(chunk.usage)
            self._model = chunk.model
        elif isinstance(chunk, MessageDelta):
            self._usage.update(chunk.usage)
            self._stop_reason = chunk.stop_reason or self._stop_reason
            self._cost = chunk.cost if chunk.cost is not None else self._cost
        elif isinstance(chunk, MessageStop):
            for index in list(self._growing):
                self._finish_block(index)
            self._void_half_call()
            self._complete = True
        elif isinstance(chunk, StreamRetry | StreamSwitch):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._forget()
        else:
            assert_never(chunk)

    def _grow(self, delta: BlockDelta) -> None:
        growing = self._growing.get(delta.index)
        if growing is None:
            raise ProtocolError(f"A piece of content block {delta.index} came, which is not open.")
        (growing.signature if delta.kind == "signature" else growing.pieces).append(delta.text)

    def _finish_block(self, index: int) -> None:
        if growing := self._growing.pop(index, None):
            block = self._content_blocks[growing.position]
            self._content_blocks[growing.position] = growing.finish(block)

    def _void_half_call(self) -> None:
        """A call at the output limit without any input was cut off before it had one."""
        blocks = self._content_blocks
        said = [n for n, block in enumerate(blocks) if not isinstance(block, ReasoningContent)]
        last = blocks[said[-1]] if said else None
        if self._stop_reason != "max_tokens" or not isinstance(last, ToolUseContent):
            return
        if not last.input and last.invalid_input is None:
            blocks[said[-1]] = last.replace(invalid_input="")

    def _forget(self) -> None:
        self._content_blocks.clear()
        self._growing.clear()
        self._stop_reason = None
        self._usage.clear()
        self._cost = None
        self._model = None


def _is_empty(block: ContentBlock) -> bool:
    if isinstance(block, TextContent):
        return not (block.text or block.signature)
    if isinstance(block, ReasoningContent):
        return not (block.text or block.signature or block.redacted or block.details)
    return False
