"""The blocks of a reply in a format that does not mark where one begins and ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from roo_code.messages import ReasoningContent, TextContent
from roo_code.stream import BlockDelta, BlockStart, BlockStop, StreamChunk

Said: TypeAlias = Literal["text", "reasoning"]


class SaidBlocks:
    def __init__(self) -> None:
        self.open: Said | None = None
        """What the last block holds, while it goes on."""
        self.last = -1
        """The index of the last block."""

    def say(self, kind: Said, text: str, signature: str | None = None) -> Iterator[StreamChunk]:
        """What is signed is a block of its own, for so it must go back."""
        if not text and not signature:
            return
        if signature or self.open != kind:
            yield from self.close()
            self.open = kind
            made = TextContent if kind == "text" else ReasoningContent
            yield BlockStart(self.take_index(), made(text="", signature=signature))
        if text:
            yield BlockDelta(self.last, kind, text)
        if signature:
            yield from self.close()

    def take_index(self) -> int:
        self.last += 1
        return self.last

    def close(self) -> Iterator[StreamChunk]:
        if self.open is not None:
            self.open = None
            yield BlockStop(self.last)
