"""OpenAI's Responses format: replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from roo_code.errors import ConnectionCut, ProtocolError
from roo_code.messages import ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.framing import WireEvent
from roo_code.providers.protocols.fields import (
    Fields,
    count_in,
    object_in,
    objects_in,
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

PHASES = ("commentary", "final_answer")
"""What a text is in a longer turn; newer models want it back with the text."""
Kind = Literal["text", "reasoning", "json"]

_KINDS: dict[str, Kind] = {"message": "text", "reasoning": "reasoning", "function_call": "json"}
_DELTAS: dict[str, Kind] = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "text",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.function_call_arguments.delta": "json",
}


class _Item:
    """One item of the output, which is one block of ours."""

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.has_text = False
        self.is_open = True


class ResponsesDecoder:
    def __init__(self, who: str) -> None:
        self.done = False
        self._who = who
        self._began = False
        self._items: dict[int, _Item | None] = {}
        """By their place in the output; None for a kind that is not ours to read."""
        self._refuses = False

    @property
    def may_end(self) -> bool:
        return self.done

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        fields = parse_object(event.data)
        type = text_in(fields, "type") or event.name
        kind = _DELTAS.get(type)
        if kind is not None:
            self._refuses = self._refuses or type == "response.refusal.delta"
            return self._delta(_place(fields), kind, text_in(fields, "delta"))
        return [*self._read(type, fields)]

    def end(self) -> list[StreamChunk]:
        if not self.done:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        return []

    def _read(self, type: str, fields: Fields) -> Iterator[StreamChunk]:
        match type:
            case "response.created" | "response.in_progress":
                yield from self._begin(object_in(fields, "response"))
            case "response.output_item.added":
                yield from self._start(_place(fields), object_in(fields, "item"))
            case "response.output_item.done":
                yield from self._finish(_place(fields), object_in(fields, "item"))
            case "response.reasoning_summary_part.added":
                yield from self._separate(_place(fields))
            case "response.completed" | "response.incomplete" | "response.done":
                response = object_in(fields, "response")
                yield from self._begin(response)
                yield from self._complete(response)
            case "response.failed":
                raise refused(self._who, read_refusal(object_in(fields, "response")))
            case "error":
                raise refused(self._who, read_refusal(fields))
            case _:
                pass  # what is told twice, or something newer than this program

    def _begin(self, response: Fields) -> Iterator[StreamChunk]:
        if not self._began:
            self._began = True
            yield MessageStart({}, text_in(response, "model") or None)

    def _start(self, place: int, item: Fields) -> Iterator[StreamChunk]:
        if place in self._items:
            return
        kind = _KINDS.get(text_in(item, "type"))
        self._items[place] = _Item(kind) if kind else None
        if kind == "text":
            phase = text_in(item, "phase")
            signature = phase if phase in PHASES else None
            yield BlockStart(place, TextContent(text="", signature=signature))
        elif kind == "reasoning":
            yield BlockStart(place, ReasoningContent(id=text_in(item, "id") or None))
        elif kind == "json":
            yield BlockStart(place, _call(item))

    def _delta(self, place: int, kind: Kind, text: str) -> list[StreamChunk]:
        if place not in self._items:
            raise ProtocolError(f"A piece of output item {place} came before its start.")
        item = self._items[place]
        if item is None or not text:
            return []
        if item.kind != kind or not item.is_open:
            raise ProtocolError(f"A piece of kind {kind} came for a finished or other item.")
        item.has_text = True
        return [BlockDelta(place, kind, text)]

    def _separate(self, place: int) -> Iterator[StreamChunk]:
        """The parts of a summary are paragraphs."""
        item = self._items.get(place)
        if item and item.kind == "reasoning" and item.has_text:
            yield from self._delta(place, "reasoning", "\n\n")

    def _finish(self, place: int, fields: Fields) -> Iterator[StreamChunk]:
        """The end of an item, with what of it did not come in pieces."""
        yield from self._start(place, fields)
        item = self._items[place]
        if item is None or not item.is_open:
            return
        if not item.has_text:
            yield from self._delta(place, item.kind, self._whole_text(fields, item.kind))
        item.is_open = False
        if item.kind == "reasoning" and (encrypted := text_in(fields, "encrypted_content")):
            yield BlockDelta(place, "signature", encrypted)
        yield BlockStop(place)

    def _whole_text(self, fields: Fields, kind: Kind) -> str:
        if kind == "json":
            return text_in(fields, "arguments")
        if kind == "reasoning":
            parts = objects_in(fields, "summary") or objects_in(fields, "content")
            return "\n\n".join(text_in(part, "text") for part in parts)
        parts = objects_in(fields, "content")
        self._refuses = self._refuses or any(part.get("refusal") for part in parts)
        return "".join(text_in(part, "text") or text_in(part, "refusal") for part in parts)

    def _complete(self, response: Fields) -> Iterator[StreamChunk]:
        was_silent = not self._items  # some servers send only the whole
        for place, item in enumerate(objects_in(response, "output")):
            known = self._items.get(place)
            if was_silent or (known and known.kind == _KINDS.get(text_in(item, "type"))):
                yield from self._finish(place, item)
        yield MessageDelta(self._stop_reason(response), _usage(object_in(response, "usage")))
        yield MessageStop()
        self.done = True

    def _stop_reason(self, response: Fields) -> str:
        if text_in(response, "status") == "incomplete":
            reason = text_in(object_in(response, "incomplete_details"), "reason")
            return _INCOMPLETE.get(reason, reason or "max_tokens")
        if self._refuses:
            return "refusal"
        calls = (item is not None and item.kind == "json" for item in self._items.values())
        return "tool_use" if any(calls) else "end_turn"


_INCOMPLETE = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


def _place(fields: Fields) -> int:
    place: Any = fields.get("output_index")
    if not isinstance(place, int):
        raise ProtocolError("In the reply, 'output_index' is not a number.")
    return place


def _call(item: Fields) -> ToolUseContent:
    name, id = text_in(item, "name"), text_in(item, "call_id") or text_in(item, "id")
    if not name or not id:
        raise ProtocolError("A tool call of the reply has no name or no id.")
    return ToolUseContent(id=id, name=name)


def _usage(fields: Fields) -> dict[str, int]:
    """Ours counts cached input apart; theirs has it in `input_tokens`."""
    details = object_in(fields, "input_tokens_details")
    read, written = count_in(details, "cached_tokens"), count_in(details, "cache_write_tokens")
    counts = {
        "input_tokens": max(0, count_in(fields, "input_tokens") - read - written),
        "output_tokens": count_in(fields, "output_tokens"),
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "reasoning_tokens": count_in(
            object_in(fields, "output_tokens_details"), "reasoning_tokens"
        ),
    }
    return {name: count for name, count in counts.items() if count}
