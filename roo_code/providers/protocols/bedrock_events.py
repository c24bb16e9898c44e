"""Bedrock's Converse stream: replies."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error

from roo_code.errors import ConnectionCut, ProtocolError, ServerFailed
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
from roo_code.providers.service_errors import Refusal, read_refusal, refused
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)

_INDEX = "contentBlockIndex"
_STOP_REASONS = {
    "content_filtered": "refusal",
    "guardrail_intervened": "refusal",
    "model_context_window_exceeded": "max_tokens",
}
_BROKEN_OFF = {"malformed_model_output", "malformed_tool_use"}
_COUNTS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadInputTokens",
    "cache_write_tokens": "cacheWriteInputTokens",
}


class BedrockDecoder:
    def __init__(self, who: str) -> None:
        self.done = False
        self.may_end = False
        self._who = who
        self._blocks: dict[int, str] = {}
        """The kind of each block that has begun; empty for one that is not ours to read."""
        self._redacted: dict[int, list[bytes]] = {}

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        name = event.name
        if name == "contentBlockDelta":
            fields = parse_object(event.data)
            return self._delta(index_in(fields, _INDEX), object_in(fields, "delta"))
        if name.endswith("Exception") or name == "error":
            raise self._failed(name, event.data)
        match name:
            case "messageStart":
                return [MessageStart()]
            case "contentBlockStart":
                fields = parse_object(event.data)
                return self._start(index_in(fields, _INDEX), object_in(fields, "start"))
            case "contentBlockStop":
                return self._stop(index_in(parse_object(event.data), _INDEX))
            case "messageStop":
                return self._end_of_message(text_in(parse_object(event.data), "stopReason"))
            case "metadata":
                return self._metadata(object_in(parse_object(event.data), "usage"))
            case _:
                return []  # newer than this program

    def end(self) -> list[StreamChunk]:
        if self.done:
            return []
        if not self.may_end:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        self.done = True
        return [MessageStop()]

    def _start(self, index: int, start: Fields) -> list[StreamChunk]:
        call = object_in(start, "toolUse")
        if not call:
            self._blocks[index] = ""
            return []
        name = text_in(call, "name")
        if not name:
            raise ProtocolError("A tool call of the reply has no name.")
        self._blocks[index] = "toolUse"
        return [BlockStart(index, ToolUseContent(id=text_in(call, "toolUseId"), name=name))]

    def _delta(self, index: int, delta: Fields) -> list[StreamChunk]:
        if "text" in delta:
            if self._blocks.get(index) == "text":
                return [BlockDelta(index, "text", text_in(delta, "text"))]
            begun = self._begin(index, "text")
            return [*begun, BlockDelta(index, "text", text_in(delta, "text"))]
        if call := object_in(delta, "toolUse"):
            if self._blocks.get(index) != "toolUse":
                raise ProtocolError(f"A piece of a tool call came for block {index}, not one.")
            return [BlockDelta(index, "json", text_in(call, "input"))]
        if thought := object_in(delta, "reasoningContent"):
            return self._reason(index, thought)
        return []

    def _reason(self, index: int, thought: Fields) -> list[StreamChunk]:
        if redacted := text_in(thought, "redactedContent"):
            # Held until the block ends: pieces of base64 cannot be joined as texts.
            self._redacted.setdefault(index, []).append(_decoded(redacted))
            return []
        begun = self._begin(index, "reasoningContent")
        if signature := text_in(thought, "signature"):
            return [*begun, BlockDelta(index, "signature", signature)]
        return [*begun, BlockDelta(index, "reasoning", text_in(thought, "text"))]

    def _begin(self, index: int, kind: str) -> list[StreamChunk]:
        """Only tool calls are announced; other blocks begin with their first piece."""
        known = self._blocks.get(index)
        if known == kind:
            return []
        if known:
            raise ProtocolError(f"A piece of kind {kind} came for a block of kind {known}.")
        self._blocks[index] = kind
        return [BlockStart(index, TextContent(text="") if kind == "text" else ReasoningContent())]

    def _stop(self, index: int) -> list[StreamChunk]:
        stopped: list[StreamChunk] = []
        if self._blocks.pop(index, None):
            stopped.append(BlockStop(index))
        if pieces := self._redacted.pop(index, None):
            redacted = b64encode(b"".join(pieces)).decode()
            stopped += [BlockStart(index, ReasoningContent(redacted=redacted)), BlockStop(index)]
        return stopped

    def _end_of_message(self, reason: str) -> list[StreamChunk]:
        if reason in _BROKEN_OFF:
            raise ServerFailed(f"{self._who} broke its reply off: {reason}.")
        self.may_end = True
        left = [chunk for index in [*self._redacted] for chunk in self._stop(index)]
        return [*left, MessageDelta(_STOP_REASONS.get(reason, reason) or None)]

    def _metadata(self, usage: Fields) -> list[StreamChunk]:
        counts = {ours: count_in(usage, theirs) for ours, theirs in _COUNTS.items()}
        told = MessageDelta(None, {ours: count for ours, count in counts.items() if count})
        if not self.may_end:
            return [told]
        self.done = True
        return [told, MessageStop()]

    def _failed(self, name: str, data: bytes) -> Exception:
        said = read_refusal(parse_object(data or b"{}"))
        return refused(self._who, Refusal(said.message, (*said.names, name)))


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except Error as error:
        raise ProtocolError("Thinking that was handed over encrypted is not base64.") from error
