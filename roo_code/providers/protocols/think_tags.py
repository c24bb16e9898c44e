"""Reasoning that a model writes as <think>…</think> before its answer, taken out of the text."""

from __future__ import annotations

from typing import Literal

_OPEN, _CLOSE = "<think>", "</think>"
Piece = tuple[Literal["text", "reasoning"], str]


class ThinkTags:
    """Only at the very start of a reply: further on, a tag may be what the answer is about."""

    def __init__(self) -> None:
        self._state: Literal["start", "thinking", "thought", "answer"] = "start"
        self._held = ""

    def feed(self, text: str) -> list[Piece]:
        if self._state == "answer":
            return [("text", text)]
        self._held += text
        if self._state == "start":
            return self._start()
        return self._think() if self._state == "thinking" else self._answer()

    def flush(self) -> list[Piece]:
        """What was held back because it might have become a tag."""
        held, self._held = self._held, ""
        return [("reasoning" if self._state == "thinking" else "text", held)] if held else []

    def _start(self) -> list[Piece]:
        trimmed = self._held.lstrip()
        if trimmed.startswith(_OPEN):
            self._state = "thinking"
            self._held = trimmed[len(_OPEN) :]
            return self._think()
        if _OPEN.startswith(trimmed):
            return []
        self._state = "answer"
        return self.flush()

    def _think(self) -> list[Piece]:
        thought, closed, rest = self._held.partition(_CLOSE)
        if closed:
            self._state = "thought"
            self._held = rest
            pieces: list[Piece] = [("reasoning", thought)] if thought else []
            return [*pieces, *self._answer()]
        keep = _overlap(self._held)
        ready, self._held = self._held[: len(self._held) - keep], self._held[-keep:] if keep else ""
        return [("reasoning", ready)] if ready else []

    def _answer(self) -> list[Piece]:
        """The blank lines between thinking and answer belong to neither."""
        self._held = self._held.lstrip("\r\n")
        if not self._held:
            return []
        self._state = "answer"
        return self.flush()


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    for length in range(min(len(_CLOSE) - 1, len(text)), 0, -1):
        if _CLOSE.startswith(text[-length:]):
            return length
    return 0
