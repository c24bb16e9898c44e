"""Ollama's own chat format: replies, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator

from roo_code.errors import ConnectionCut, ProtocolError
from roo_code.json_text import to_json
from roo_code.messages import ToolUseContent
from roo_code.providers.framing import WireEvent
from roo_code.providers.protocols.fields import (
    Fields,
    count_in,
    object_in,
    objects_in,
    parse_object,
    text_in,
)
from roo_code.providers.protocols.said_blocks import SaidBlocks
from roo_code.providers.protocols.think_tags import ThinkTags
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

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens"}
_COUNTS = {"input_tokens": "prompt_eval_count", "output_tokens": "eval_count"}


class OllamaDecoder:
    def __init__(self, who: str) -> None:
        self.done = False
        self._who = who
        self._began = False
        self._blocks = SaidBlocks()
        self._tags = ThinkTags()
        self._calls = 0

    @property
    def may_end(self) -> bool:
        return self.done

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        fields = parse_object(event.data)
        if fields.get("error"):
            raise refused(self._who, read_refusal(fields))
        message = object_in(fields, "message")
        if self._blocks.open == "text" and not (fields.get("done") or _says_more(message)):
            # Almost every line. Where a text is open, no tag can begin any more.
            return [BlockDelta(self._blocks.last, "text", text_in(message, "content"))]
        return [*self._read(fields, message)]

    def end(self) -> list[StreamChunk]:
        if not self.done:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        return []

    def _read(self, fields: Fields, message: Fields) -> Iterator[StreamChunk]:
        if not self._began:
            self._began = True
            yield MessageStart({}, text_in(fields, "model") or None)
        yield from self._blocks.say("reasoning", text_in(message, "thinking"))
        for kind, text in self._tags.feed(text_in(message, "content")):
            yield from self._blocks.say(kind, text)
        for call in objects_in(message, "tool_calls"):
            yield from self._call(call)
        if fields.get("done") is True:
            self.done = True
            yield from self._close(fields)

    def _call(self, call: Fields) -> Iterator[StreamChunk]:
        """Calls come whole, from older servers without an id."""
        yield from self._blocks.close()
        function = object_in(call, "function")
        name = text_in(function, "name")
        if not name:
            raise ProtocolError("A tool call of the reply has no name.")
        self._calls += 1
        id = text_in(call, "id") or f"ollama-tool-{self._calls}"
        index = self._blocks.take_index()
        yield BlockStart(index, ToolUseContent(id=id, name=name))
        yield BlockDelta(index, "json", _arguments(function))
        yield BlockStop(index)

    def _close(self, fields: Fields) -> Iterator[StreamChunk]:
        for kind, text in self._tags.flush():
            yield from self._blocks.say(kind, text)
        yield from self._blocks.close()
        reason = text_in(fields, "done_reason") or "stop"
        reason = _STOP_REASONS.get(reason, reason)
        if reason == "end_turn" and self._calls:
            reason = "tool_use"
        counts = {ours: count_in(fields, theirs) for ours, theirs in _COUNTS.items()}
        yield MessageDelta(reason, {ours: count for ours, count in counts.items() if count})
        yield MessageStop()


def _says_more(message: Fields) -> bool:
    return bool(message.get("thinking") or message.get("tool_calls") or not message.get("content"))


def _arguments(function: Fields) -> str:
    given = function.get("arguments")
    return given if isinstance(given, str) else to_json(object_in(function, "arguments")).decode()
