"""Gemini's generateContent format: replies."""

from __future__ import annotations

from collections.abc import Iterator

from roo_code.errors import BadRequest, ConnectionCut, ProtocolError, ServerFailed
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

MADE_UP_ID = "unnamed_"
"""Begins the id of a call that came without one: such an id means nothing to the service."""
_REFUSALS = (
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
)
_STOP_REASONS = {
    "STOP": "end_turn",
    "MAX_TOKENS": "max_tokens",
    "CONTINUATION": "max_tokens",
    **dict.fromkeys(_REFUSALS, "refusal"),
}
_BROKEN_OFF = {
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "TOO_MANY_TOOL_CALLS",
    "UNEXPECTED_TOOL_CALL",
}
"""The model wrote what its own service cannot read; asked again it seldom does."""
_OF_TEXT = {"thought", "thoughtSignature"}
_PLAIN = {"text", "thought"}


class GeminiDecoder:
    """The format has no end of its own: it is the end of the answer, once a reason was given."""

    def __init__(self, who: str) -> None:
        self.done = False
        self._who = who
        self._began = False
        self._reply_id = ""
        self._blocks = SaidBlocks()
        self._calls = 0
        self._stop_reason: str | None = None
        self._used: Fields = {}
        """As it came last: every event counts anew, and only the first and the last are told."""

    @property
    def may_end(self) -> bool:
        return self._stop_reason is not None

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        fields = parse_object(event.data)
        if fields.get("error"):
            raise refused(self._who, read_refusal(fields))
        self._used = object_in(fields, "usageMetadata") or self._used
        return self._go_on(_only_part(fields)) or [*self._read(fields)]

    def end(self) -> list[StreamChunk]:
        reason = self._stop_reason
        if reason is None:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        self.done = True
        if reason == "end_turn" and self._calls:
            reason = "tool_use"
        return [*self._blocks.close(), MessageDelta(reason, _usage(self._used)), MessageStop()]

    def _go_on(self, part: Fields) -> list[StreamChunk]:
        """The next piece of what is being said, where there is nothing else: almost always."""
        kind = "reasoning" if part.get("thought") else "text"
        if kind == self._blocks.open and part.keys() <= _PLAIN and (text := text_in(part, "text")):
            return [BlockDelta(self._blocks.last, kind, text)]
        return []

    def _read(self, fields: Fields) -> Iterator[StreamChunk]:
        if not self._began:
            self._began = True
            self._reply_id = text_in(fields, "responseId")
            yield MessageStart(_usage(self._used), text_in(fields, "modelVersion") or None)
        candidates = objects_in(fields, "candidates")
        if not candidates:
            self._check_prompt(object_in(fields, "promptFeedback"))
        for candidate in candidates[:1]:
            for part in objects_in(object_in(candidate, "content"), "parts"):
                yield from self._read_part(part)
            if reason := text_in(candidate, "finishReason"):
                self._stop_reason = self._checked(reason, text_in(candidate, "finishMessage"))

    def _read_part(self, part: Fields) -> Iterator[StreamChunk]:
        signature = text_in(part, "thoughtSignature") or None
        if "functionCall" in part:
            yield from self._call(object_in(part, "functionCall"), signature)
        elif "text" in part or not part.keys() - _OF_TEXT:  # a signature may come by itself
            kind = "reasoning" if part.get("thought") else "text"
            yield from self._blocks.say(kind, text_in(part, "text"), signature)

    def _call(self, call: Fields, signature: str | None) -> Iterator[StreamChunk]:
        name = text_in(call, "name")
        if not name:
            raise ProtocolError("A tool call of the reply has no name.")
        if call.get("willContinue") or call.get("partialArgs"):
            raise ProtocolError("A tool call of the reply came in pieces, which nobody asked for.")
        yield from self._blocks.close()
        id = text_in(call, "id") or f"{MADE_UP_ID}{self._reply_id}_{self._calls}"
        self._calls += 1
        index = self._blocks.take_index()
        yield BlockStart(index, ToolUseContent(id=id, name=name, signature=signature))
        yield BlockDelta(index, "json", to_json(object_in(call, "args")).decode())
        yield BlockStop(index)

    def _check_prompt(self, feedback: Fields) -> None:
        if reason := text_in(feedback, "blockReason"):
            said = text_in(feedback, "blockReasonMessage")
            raise BadRequest(f"{self._who} blocked the prompt: {_because(reason, said)}")

    def _checked(self, reason: str, said: str) -> str | None:
        if reason in _BROKEN_OFF:
            raise ServerFailed(f"{self._who} broke its reply off: {_because(reason, said)}")
        if reason == "FINISH_REASON_UNSPECIFIED":
            return None
        return _STOP_REASONS.get(reason, reason.lower())


def _only_part(fields: Fields) -> Fields:
    """Empty where there is none, or where the event says more than it."""
    candidates = objects_in(fields, "candidates")
    if len(candidates) != 1 or candidates[0].get("finishReason"):
        return {}
    parts = objects_in(object_in(candidates[0], "content"), "parts")
    return parts[0] if len(parts) == 1 else {}


def _because(reason: str, said: str) -> str:
    return f"{reason}: {said}" if said else f"{reason}."


def _usage(fields: Fields) -> dict[str, int]:
    """Theirs has what was cached in the prompt, and thoughts beside the answer."""
    read = count_in(fields, "cachedContentTokenCount")
    prompt = count_in(fields, "promptTokenCount") + count_in(fields, "toolUsePromptTokenCount")
    thoughts = count_in(fields, "thoughtsTokenCount")
    counts = {
        "input_tokens": max(0, prompt - read),
        "output_tokens": count_in(fields, "candidatesTokenCount") + thoughts,
        "cache_read_tokens": read,
        "reasoning_tokens": thoughts,
    }
    return {name: count for name, count in counts.items() if count}
