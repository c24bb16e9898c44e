"""How much room a model's window has, and how much of it a conversation takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct

from roo_code.json_text import to_json
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo

DEFAULT_THRESHOLD = 100.0
_MOST_FILLED = 0.9
_OUTPUT_SHARE = 0.2
_DEFAULT_OUTPUT = 8192
_AFTER_REFUSAL = 0.6
"""Of a request that was too long, how much the next may have."""
_MOST_IMAGE_TOKENS = 1600
_BELIEVED = (2 / 3, 3)
"""How many times what we count a service may say that it was."""
_COUNTED_WHOLE = 200_000
_SAMPLES, _SAMPLE = 8, 10_000
_MOST_KNOWN = 20_000


class Room(Struct, frozen=True):
    """What a request may take of a model's window; no window is known of some models."""

    window: int | None
    reserved: int
    """For the reply."""
    threshold: float = DEFAULT_THRESHOLD
    """Per cent of the window at which a summary is made."""
    refused: int = 0
    """What a request took that was too long."""

    @property
    def limit(self) -> int | None:
        """The tokens that a request may have; None if nobody knows."""
        learned = int(self.refused * _AFTER_REFUSAL) if self.refused else None
        known = None if self.window is None else int(self.window * _MOST_FILLED) - self.reserved
        return min((n for n in (learned, known) if n is not None), default=None)

    @property
    def trigger(self) -> int | None:
        """The tokens at which it is time to condense; never more than the limit."""
        if self.limit is None or self.window is None:
            return self.limit
        return min(self.limit, int(self.window * self.threshold / 100))


def room_of(
    info: ModelInfo, max_tokens: int | None, threshold: float = DEFAULT_THRESHOLD, refused: int = 0
) -> Room:
    """By what is known of the model, what the settings say and what the service refused."""
    window = info.context_window if info.context_window and info.context_window > 0 else None
    if window is None:
        return Room(None, 0, threshold, refused)
    if max_tokens is not None:
        reserved = min(max_tokens, window // 2)
    else:
        most = info.max_output_tokens or _DEFAULT_OUTPUT
        reserved = min(most, int(window * _OUTPUT_SHARE))
    return Room(window, reserved, threshold, refused)


class Request(NamedTuple):
    """All that a model is sent."""

    system_prompt: str
    tools: Sequence[ToolDefinition]
    messages: Sequence[Message]


class _PerMessage:
    """A figure of each message, worked out once: histories grow at their end."""

    def __init__(self, measure: Callable[[Message], int]) -> None:
        self._measure = measure
        self._known: dict[int, tuple[Message, int]] = {}
        """By identity; the message is held, so that no other gets its id."""

    def __call__(self, message: Message) -> int:
        known = self._known.get(id(message))
        if known is None:
            if len(self._known) >= _MOST_KNOWN:  # of histories that were condensed since
                self._known.clear()
            known = self._known[id(message)] = (message, self._measure(message))
        return known[1]


class TokenMeter:
    """Counts each message once, however often it is asked."""

    def __init__(self) -> None:
        self._of_message = _PerMessage(lambda message: _count(message))
        self._bytes = _PerMessage(lambda message: 8 + sum(map(_bytes, message.content)))
        self._scale = 1.0
        """How many tokens of the service's make one of ours, where it said so and we believe it."""

    def surely_fits(self, request: Request, tokens: int) -> bool:
        """Whether it fits without anything counted: no token is shorter than a byte."""
        left = tokens - _length(request.system_prompt)
        for tool in request.tools:
            left -= _length(tool.description) + len(to_json(tool.input_schema)) + 100
        for message in reversed(request.messages):
            left -= self._bytes(message)
            if left < 0:
                return False
        return left >= 0

    def tokens(self, request: Request) -> int:
        """As the service told of the last reply, with what came since; else as we count."""
        own = _overhead(request) + sum(map(self._of_message, request.messages))
        told, since = self._told(request.messages)
        least, most = (times * (own - since) for times in _BELIEVED)
        if told and least <= told <= most:
            self._scale = max(1.0, told / (own - since))
            return told + int(since * self._scale)
        return int(own * self._scale)

    def overhead(self, request: Request) -> int:
        """The instructions and the tools."""
        return int(_overhead(request) * self._scale)

    def of_text(self, text: str) -> int:
        return int(_count(Message.from_user(text)) * self._scale)

    def of_messages(self, messages: Sequence[Message]) -> int:
        """Without remembering them: of a history that may never be."""
        return int(sum(map(_count, messages)) * self._scale)

    def _told(self, messages: Sequence[Message]) -> tuple[int, int]:
        """What the service said of all up to its last reply, and what we count of the rest."""
        since = 0
        for message in reversed(messages):
            if message.usage is not None:
                return message.usage.total_tokens, since
            since += self._of_message(message)
        return 0, 0


def _overhead(request: Request) -> int:
    from roo_code.providers.tokens import count_request  # noqa: PLC0415 - 40 ms of tables

    return count_request(request.system_prompt, (), request.tools)


def _count(message: Message) -> int:
    from roo_code.providers.tokens import count_message  # noqa: PLC0415 - 40 ms of tables

    long = [block for block in message.content if _bytes(block) > _COUNTED_WHOLE]
    if not long:
        return count_message(message)
    rest = tuple(block for block in message.content if block not in long)
    return count_message(message.replace(content=rest)) + sum(map(_count_long, long))


def _count_long(block: ContentBlock) -> int:
    """From samples: to read millions of characters would stop everything for seconds."""
    from roo_code.providers.tokens import count  # noqa: PLC0415 - 40 ms of tables

    text = _text(block)
    step = max(len(text) // _SAMPLES, 1)
    samples = [text[at : at + _SAMPLE] for at in range(0, len(text), step)]
    counted = sum(map(count, samples))
    images = sum(map(_bytes, getattr(block, "images", ())))
    return counted * len(text) // max(sum(map(len, samples)), 1) + images


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent() | ReasoningContent():
            return block.text
        case ToolUseContent():
            return block.name + (block.invalid_input or to_json(block.input).decode())
        case ImageContent():
            return ""
        case _:
            return block.content


def _bytes(block: ContentBlock) -> int:
    if isinstance(block, ImageContent):
        return _MOST_IMAGE_TOKENS
    return _length(_text(block)) + sum(map(_bytes, getattr(block, "images", ())))


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
