"""A model reply as events for whoever watches, a retried one without repeating itself."""

from __future__ import annotations

from typing import Literal, TypeAlias

from roo_code.errors import RooCodeError
from roo_code.events import (
    Event,
    ProviderSwitched,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    TextDelta,
    ToolInputDelta,
)
from roo_code.messages import ToolUseContent
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    MessageStop,
    StreamChunk,
    StreamRetry,
    StreamSwitch,
)

_Kind: TypeAlias = Literal["text", "reasoning"]


class ReplyView:
    """Chunks in, events out.

    After a retry, what was shown already is held back as long as the new attempt says the same;
    when it does not, watchers are told to start over.
    """

    def __init__(self) -> None:
        self._calls: dict[int, ToolUseContent] = {}
        self._said: list[tuple[_Kind, str]] = []
        """By this attempt."""
        self._expected: list[tuple[_Kind, str]] = []
        """Shown by an earlier attempt and not said by this one yet."""

    def show(self, chunk: StreamChunk) -> list[Event]:
        if isinstance(chunk, BlockDelta):
            if chunk.kind == "text" or chunk.kind == "reasoning":
                return self._piece(chunk.kind, chunk.text)
            if chunk.kind == "json":
                call = self._calls[chunk.index]
                piece = chunk.text
                return [ToolInputDelta(tool_use_id=call.id, name=call.name, partial_json=piece)]
        elif isinstance(chunk, BlockStart):
            if isinstance(chunk.block, ToolUseContent):
                self._calls[chunk.index] = chunk.block
        elif isinstance(chunk, MessageStop):
            if self._expected:  # it said less than was shown
                return self._restart()
        elif isinstance(chunk, StreamRetry | StreamSwitch):
            self._expected = [*self._said, *self._expected]
            self._said = []
            return [_retried(chunk) if isinstance(chunk, StreamRetry) else _switched(chunk)]
        return []

    def _piece(self, kind: _Kind, text: str) -> list[Event]:
        self._said.append((kind, text))
        while self._expected and text:
            shown_kind, shown = self._expected[0]
            if kind != shown_kind or not (shown.startswith(text) or text.startswith(shown)):
                return self._restart()
            common = min(len(shown), len(text))
            text = text[common:]
            if common == len(shown):
                self._expected.pop(0)
            else:
                self._expected[0] = (kind, shown[common:])
        return [_delta(kind, text)] if text else []

    def _restart(self) -> list[Event]:
        self._expected = []
        joined: list[tuple[_Kind, str]] = []
        for kind, text in self._said:
            if joined and joined[-1][0] == kind:
                text = joined.pop()[1] + text
            joined.append((kind, text))
        return [ReplyRestarted(), *(_delta(kind, text) for kind, text in joined)]


def _delta(kind: _Kind, text: str) -> TextDelta | ReasoningDelta:
    return TextDelta(text=text) if kind == "text" else ReasoningDelta(text=text)


def _retried(chunk: StreamRetry) -> RequestRetried:
    return RequestRetried(
        attempt=chunk.attempt,
        delay=chunk.delay,
        error=str(chunk.error),
        kind=_kind_of(chunk.error),
    )


def _switched(chunk: StreamSwitch) -> ProviderSwitched:
    return ProviderSwitched(
        previous=chunk.previous,
        current=chunk.current,
        error="" if chunk.error is None else str(chunk.error),
        kind="" if chunk.error is None else _kind_of(chunk.error),
        seconds=chunk.seconds,
    )


def _kind_of(error: Exception) -> str:
    return error.kind if isinstance(error, RooCodeError) else type(error).__name__
