"""Anthropic's Messages format: replies."""

from __future__ import annotations

from typing import Any, Literal

from roo_code.errors import ConnectionCut, ProtocolError
from roo_code.messages import ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.framing import WireEvent
from roo_code.providers.protocols.fields import (
    Fields,
    count_in,
    index_in,
    object_in,
    parse_object,
    text_in,
)
from roo_code.providers.service_errors import read_refusal, refused
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)

Kind = Literal["text", "reasoning", "signature", "json"]

_DELTAS: dict[str, tuple[Kind, str, str]] = {
    "text_delta": ("text", "text", "text"),
    "thinking_delta": ("reasoning", "thinking", "thinking"),
    "signature_delta": ("signature", "signature", "thinking"),
    "input_json_delta": ("json", "partial_json", "tool_use"),
}
"""Of each delta: its kind here, the field that holds it, the block it belongs to."""
_COUNTS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
_WINDOW_FULL = "model_context_window_exceeded"


class AnthropicDecoder:
    def __init__(self, who: str) -> None:
        self.done = False
        self._who = who
        self._blocks: dict[int, str] = {}

    @property
    def may_end(self) -> bool:
        return self.done

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        fields = parse_object(event.data)
        match fields.get("type") or event.name:
            case "content_block_delta":
                return self._delta(fields)
            case "content_block_start":
                return self._start(index_in(fields), object_in(fields, "content_block"))
            case "content_block_stop":
                index = index_in(fields)
                return [BlockStop(index)] if self._blocks.get(index) else []
            case "message_start":
                message = object_in(fields, "message")
                model = text_in(message, "model") or None
                return [MessageStart(_usage(object_in(message, "usage")), model)]
            case "message_delta":
                reason = text_in(object_in(fields, "delta"), "stop_reason") or None
                reason = "max_tokens" if reason == _WINDOW_FULL else reason
                return [MessageDelta(reason, _usage(object_in(fields, "usage")))]
            case "message_stop":
                self.done = True
                return [MessageStop()]
            case "error":
                raise refused(self._who, read_refusal(fields))
            case _:
                return []  # a ping, or something newer than this program

    def end(self) -> list[StreamChunk]:
        if not self.done:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        return []

    def _start(self, index: int, block: Fields) -> list[StreamChunk]:
        kind = text_in(block, "type")
        self._blocks[index] = kind
        if kind == "text":
            return _begun(index, TextContent(text=""), "text", text_in(block, "text"))
        if kind == "thinking":
            reasoning = ReasoningContent(signature=text_in(block, "signature") or None)
            return _begun(index, reasoning, "reasoning", text_in(block, "thinking"))
        if kind == "redacted_thinking":
            return [BlockStart(index, ReasoningContent(redacted=text_in(block, "data")))]
        if kind == "tool_use":
            return [BlockStart(index, _call(block))]
        self._blocks[index] = ""  # a kind of block that is not ours to read
        return []

    def _delta(self, fields: Fields) -> list[StreamChunk]:
        index = index_in(fields)
        delta = object_in(fields, "delta")
        block = self._blocks.get(index)
        if block is None:
            raise ProtocolError(f"A piece of content block {index} came before its start.")
        known = _DELTAS.get(text_in(delta, "type"))
        if not block or known is None:
            return []
        kind, field, wanted = known
        if block != wanted:
            raise ProtocolError(f"A piece of kind {kind} came for a block of kind {block}.")
        return [BlockDelta(index, kind, text_in(delta, field))]


def _begun(
    index: int, block: TextContent | ReasoningContent, kind: Kind, text: str
) -> list[StreamChunk]:
    start = BlockStart(index, block)
    return [start, BlockDelta(index, kind, text)] if text else [start]


def _call(block: Fields) -> ToolUseContent:
    name = text_in(block, "name")
    if not name:
        raise ProtocolError("A tool call of the reply has no name.")
    input: dict[str, Any] = object_in(block, "input")
    return ToolUseContent(id=text_in(block, "id"), name=name, input=input)


def _usage(fields: Fields) -> dict[str, int]:
    """Only what is told: the end of a reply corrects what its start said."""
    counts = {ours: count_in(fields, theirs) for ours, theirs in _COUNTS.items()}
    details = object_in(fields, "output_tokens_details")
    counts["reasoning_tokens"] = count_in(details, "thinking_tokens")
    return {ours: count for ours, count in counts.items() if count}
