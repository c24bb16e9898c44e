"""Which part of a history stays when it is made shorter, and how much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from roo_code.condensed_messages import condensed
from roo_code.events import ContextCondensed
from roo_code.json_text import JsonValue
from roo_code.messages import ContentBlock, Message, TextContent, ToolResult, ToolUseContent, is_cut

LEAST_CUT = 600
"""Characters: shorter than this, a text says little but that it was cut."""
CHARACTERS_PER_TOKEN = 3
_COMFORTABLE = 0.75
"""Of the room; fuller, the next reply would have no place."""
_CUT_ENOUGH = 0.6
_GIANT = 0.25

CountTokens = Callable[[Sequence[Message]], int]


class _Shape(NamedTuple):
    kept: int
    cut: int = 0


class Plan(Struct, frozen=True, kw_only=True):
    """Finds how a history fits the room, in tokens, that there is for it."""

    messages: Sequence[Message]
    room: int
    tail: int
    """What the messages that stay as they are may take, in tokens."""
    count: CountTokens

    def only_cut(self, wanted: ContextCondensed) -> ContextCondensed | None:
        """Everything stays but for the middle of giant texts, if that is enough."""
        cut = max(int(self.room * _GIANT) * CHARACTERS_PER_TOKEN, LEAST_CUT)
        event = wanted.replace(kept=len(self.messages), cut=cut)
        return event if self.taken(event) <= self.room * _CUT_ENOUGH else None

    def fitted(self, wanted: ContextCondensed) -> ContextCondensed | None:
        """With as much of the end as fits; None if not even the least does."""
        tight: ContextCondensed | None = None
        for kept, cut in self._shapes(has_summary=bool(wanted.summary)):
            event = wanted.replace(kept=kept, cut=cut)
            taken = self.taken(event)
            if taken <= self.room * _COMFORTABLE:
                return event
            if tight is None and taken <= self.room:
                tight = event
        return tight

    def taken(self, event: ContextCondensed) -> int:
        """The tokens of what the history would be."""
        return self.count(condensed(self.messages, event))

    def _shapes(self, *, has_summary: bool) -> Iterator[_Shape]:
        starts = [n for n, message in enumerate(self.messages) if _may_begin(message)]
        total = len(self.messages)
        if whole := self._whole_tail(starts):
            yield _Shape(whole)
        last = total - starts[-1] if starts else 0
        for cut in self._cuts():
            yield _Shape(last, cut)
        if starts and self.messages[starts[-1]].role == "assistant":
            # What the model just did is forgotten; a summary tells of it.
            yield from (_Shape(0, cut) for cut in ([0] if has_summary else self._cuts()))

    def _whole_tail(self, starts: Sequence[int]) -> int:
        """How many of the last messages may stay as they are, in whole exchanges."""
        left, reached = self.tail, len(self.messages)
        while reached > 0:
            left -= self.count(self.messages[reached - 1 : reached])
            if left < 0:
                break
            reached -= 1
        return next((len(self.messages) - start for start in starts if start >= reached), 0)

    def _cuts(self) -> Iterator[int]:
        cut = self.room * CHARACTERS_PER_TOKEN
        while cut > LEAST_CUT:
            yield cut
            cut //= 2
        yield LEAST_CUT


def _may_begin(message: Message) -> bool:
    """Whether nothing before it is needed to understand it: results need their calls."""
    if message.role == "assistant":
        return True
    return not any(isinstance(block, ToolResult) for block in message.content)


def texts_to_cut(messages: Sequence[Message], event: ContextCondensed) -> list[str]:
    """What of the messages that stay will be cut, and does not say where it is whole."""
    if event.cut <= 0:
        return []
    begins = max(len(messages) - event.kept, 0 if event.summary else 1)
    first = () if event.summary else messages[:1]
    blocks = (block for m in (*first, *messages[begins:]) for block in m.content)
    found = (text for block in blocks for text in _texts(block))
    return [text for text in found if len(text) > event.cut and not is_cut(text)]


def _texts(block: ContentBlock | JsonValue) -> Iterator[str]:
    match block:
        case str():
            yield block
        case TextContent(text=text) | ToolResult(content=text):
            yield text
        case ToolUseContent(input=input, invalid_input=raw):
            yield from _texts(input)
            yield raw or ""
        case list():
            yield from (text for entry in block for text in _texts(entry))
        case dict():
            yield from (text for entry in block.values() for text in _texts(entry))
        case _:
            pass
