"""A model reply as events for whoever watches, a retried one without repeating itself."""

from __future__ import annotations

from collections.abc import Iterator

from roo_code.errors import RooCodeError
from roo_code.events import (
    Event,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    TextDelta,
    ToolInputDelta,
)
from roo_code.messages import ToolUseContent
from roo_code.stream import BlockDelta, BlockStart, StreamChunk, StreamRetry


class ReplyView:
    """Chunks in, events out.

    After a retry, text that was shown already is held back as long as the new attempt says the
    same; when it does not, watchers are told to start over.
    """

    def __init__(self) -> None:
        self._calls: dict[int, ToolUseContent] = {}
        self._shown: list[str] = []
        self._expected = ""

    def show(self, chunk: StreamChunk) -> Iterator[Event]:
        if isinstance(chunk, BlockDelta):
            if chunk.kind == "text":
                yield from self._text(chunk.text)
            elif chunk.kind == "reasoning":
                yield ReasoningDelta(text=chunk.text)
            elif chunk.kind == "json":
                call = self._calls[chunk.index]
                yield ToolInputDelta(tool_use_id=call.id, name=call.name, partial_json=chunk.text)
        elif isinstance(chunk, BlockStart):
            if isinstance(chunk.block, ToolUseContent):
                self._calls[chunk.index] = chunk.block
        elif isinstance(chunk, StreamRetry):
            yield self._retried(chunk)

    def _text(self, text: str) -> Iterator[Event]:
        if not self._expected:
            self._shown.append(text)
            yield TextDelta(text=text)
        elif self._expected.startswith(text):
            self._expected = self._expected[len(text) :]
            self._shown.append(text)
        elif text.startswith(self._expected):
            fresh = text[len(self._expected) :]
            self._expected = ""
            self._shown.append(text)
            yield TextDelta(text=fresh)
        else:
            self._expected = ""
            self._shown.append(text)
            yield ReplyRestarted()
            yield TextDelta(text="".join(self._shown))

    def _retried(self, chunk: StreamRetry) -> RequestRetried:
        self._expected = "".join(self._shown) + self._expected
        self._shown.clear()
        error = chunk.error
        kind = error.kind if isinstance(error, RooCodeError) else type(error).__name__
        return RequestRetried(attempt=chunk.attempt, delay=chunk.delay, error=str(error), kind=kind)
