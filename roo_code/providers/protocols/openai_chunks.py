"""OpenAI's chat completions format: replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roo_code.errors import ConnectionCut, Overloaded, ProtocolError, ServerFailed
from roo_code.messages import ReasoningContent
from roo_code.providers.framing import WireEvent
from roo_code.providers.protocols.fields import (
    Fields,
    count_in,
    object_in,
    objects_in,
    parse_object,
    text_in,
)
from roo_code.providers.protocols.openai_calls import CallFragments
from roo_code.providers.protocols.reasoning_details import ReasoningDetails, told_in
from roo_code.providers.protocols.said_blocks import SaidBlocks
from roo_code.providers.protocols.think_tags import ThinkTags
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

_STOP_REASONS = {
    "stop": "end_turn",
    "eos": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "model_length": "max_tokens",
    "content_filter": "refusal",
}

_KINDS = {"content": "text", "reasoning_content": "reasoning", "reasoning": "reasoning"}
"""Of the fields of a delta that are texts. Where a text is open, no tag can begin any more."""


class ChatDecoder:
    def __init__(self, who: str) -> None:
        self.done = False
        self._who = who
        self._began = False
        self._stop_reason: str | None = None
        self._blocks = SaidBlocks()
        self._tags = ThinkTags()
        self._calls = CallFragments()
        self._details = ReasoningDetails()

    @property
    def may_end(self) -> bool:
        return self._stop_reason is not None

    def feed(self, event: WireEvent) -> list[StreamChunk]:
        if event.data.strip() == b"[DONE]":
            self.done = True
            return [*self._close()]
        fields = parse_object(event.data)
        if fields.get("error") or fields.get("object") == "error":
            raise refused(self._who, read_refusal(fields))
        if (verdict := object_in(fields, "base_resp")).get("status_code"):  # MiniMax
            raise refused(self._who, Refusal(text_in(verdict, "status_msg")))
        known = self._go_on(_only_delta(fields))
        return [*self._read(fields)] if known is None else known

    def end(self) -> list[StreamChunk]:
        if self.done:
            return []
        if not self.may_end:
            raise ConnectionCut(f"{self._who} ended its reply before it was complete.")
        self.done = True
        return [*self._close()]

    def _read(self, fields: Fields) -> Iterator[StreamChunk]:
        if not self._began:
            self._began = True
            yield MessageStart({}, text_in(fields, "model") or None)
        for choice in objects_in(fields, "choices")[:1]:
            # A reply that is not streamed has the whole of it in `message`.
            yield from self._read_delta(object_in(choice, "delta") or object_in(choice, "message"))
            if reason := text_in(choice, "finish_reason"):
                self._stop_reason = self._checked(reason)
        usage = object_in(fields, "usage") or object_in(object_in(fields, "x_groq"), "usage")
        if usage:
            yield MessageDelta(None, _usage(usage), _cost(usage))

    def _go_on(self, delta: Fields) -> list[StreamChunk] | None:
        """The next piece of what is being said, where there is nothing else: almost always."""
        said = [name for name, value in delta.items() if value and name != "role"]
        if len(said) != 1 or not self._began:
            return None
        piece: Any = delta[said[0]]
        going_on = self._blocks.open
        if going_on and going_on == _KINDS.get(said[0]) and isinstance(piece, str):
            return [BlockDelta(self._blocks.last, going_on, piece)]
        if going_on is None and said[0] == "tool_calls":
            take = self._blocks.take_index
            calls = objects_in(delta, "tool_calls")
            return [chunk for call in calls for chunk in self._calls.add(call, take)]
        return None

    def _read_delta(self, delta: Fields) -> Iterator[StreamChunk]:
        details = objects_in(delta, "reasoning_details")
        self._details.add(details)
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str):
            yield from self._blocks.say("reasoning", reasoning)
        elif not reasoning:
            yield from self._blocks.say("reasoning", told_in(details))
        content = delta.get("content")
        if isinstance(content, str):
            yield from self._say_tagged(content)
        elif content is not None:
            yield from self._say_parts(objects_in(delta, "content"))
        if refusal := text_in(delta, "refusal"):
            self._stop_reason = "refusal"
            yield from self._blocks.say("text", refusal)
        if calls := objects_in(delta, "tool_calls"):
            yield from self._blocks.close()
            for call in calls:
                yield from self._calls.add(call, self._blocks.take_index)

    def _say_tagged(self, content: str) -> Iterator[StreamChunk]:
        for kind, text in self._tags.feed(content):
            yield from self._blocks.say(kind, text)

    def _say_parts(self, parts: list[Fields]) -> Iterator[StreamChunk]:
        """Content as a list, in which Mistral tells thinking from text."""
        for part in parts:
            if part.get("type") == "thinking":
                thoughts = part.get("thinking")
                if isinstance(thoughts, str):
                    yield from self._blocks.say("reasoning", thoughts)
                else:
                    for thought in objects_in(part, "thinking"):
                        yield from self._blocks.say("reasoning", text_in(thought, "text"))
            else:
                yield from self._blocks.say("text", text_in(part, "text"))

    def _close(self) -> Iterator[StreamChunk]:
        for kind, text in self._tags.flush():
            yield from self._blocks.say(kind, text)
        yield from self._blocks.close()
        if details := self._details.whole():
            yield BlockStart(index := self._blocks.take_index(), ReasoningContent(details=details))
            yield BlockStop(index)
        yield from self._calls.finish(self._blocks.take_index)
        reason = self._stop_reason or "end_turn"
        if reason == "end_turn" and self._calls.any:
            reason = "tool_use"  # many servers say "stop" whatever they send
        yield MessageDelta(reason)
        yield MessageStop()

    def _checked(self, reason: str) -> str:
        if reason == "insufficient_system_resource":
            raise Overloaded(f"{self._who} broke its reply off: {reason}.")
        if reason == "error":
            raise ServerFailed(f"{self._who} broke its reply off without saying why.")
        if self._stop_reason == "refusal":
            return self._stop_reason
        return _STOP_REASONS.get(reason, reason)


def _only_delta(fields: Fields) -> Fields:
    """Empty where there is none, or where the event says more than it."""
    choices = objects_in(fields, "choices")
    if len(choices) != 1 or fields.get("usage") or fields.get("x_groq"):
        return {}
    return {} if choices[0].get("finish_reason") else object_in(choices[0], "delta")


def _usage(fields: Fields) -> dict[str, int]:
    """Ours counts cached input apart; theirs has it in `prompt_tokens`."""
    details = object_in(fields, "prompt_tokens_details")
    prompt = count_in(fields, "prompt_tokens")
    output = count_in(fields, "completion_tokens")
    read = count_in(details, "cached_tokens") or count_in(
        fields, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"
    )
    written = count_in(details, "cache_write_tokens", "caching_tokens") or count_in(
        fields, "cache_creation_input_tokens"
    )
    reasoning = count_in(object_in(fields, "completion_tokens_details"), "reasoning_tokens")
    if reasoning and count_in(fields, "total_tokens") == prompt + output + reasoning:
        output += reasoning  # xAI counts it apart
    counts = {
        "input_tokens": max(0, prompt - read - written),
        "output_tokens": output,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
    }
    return {name: count for name, count in counts.items() if count}


def _cost(fields: Fields) -> float | None:
    """What the service charges, with what the one behind it charges the user directly."""
    cost: Any = fields.get("cost")
    if not isinstance(cost, int | float):
        return None
    upstream: Any = object_in(fields, "cost_details").get("upstream_inference_cost")
    if upstream is not None and not isinstance(upstream, int | float):
        raise ProtocolError("In the reply, 'upstream_inference_cost' is not a number.")
    return float(cost) + float(upstream or 0)
