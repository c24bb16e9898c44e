"""A text with LF at the ends of its lines, to find pieces in and replace them in the original."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from roo_code.workspace.text import Newline, main_newline, with_newlines


class Span(NamedTuple):
    start: int
    end: int


class PlainText:
    def __init__(self, original: str) -> None:
        self._original = original
        self._newline: Newline = main_newline(original)
        self.text = with_newlines(original, "\n") if "\r" in original else original
        pairs = (match.start() for match in re.finditer("\r\n", original))
        self._shortened = [place - count for count, place in enumerate(pairs)]
        """Where, in the text, two characters of the original became one."""

    def find(self, wanted: str) -> list[Span]:
        """Every place of a text that is not empty, as far as they do not overlap."""
        spans: list[Span] = []
        at = self.text.find(wanted)
        while at >= 0:
            spans.append(Span(at, at + len(wanted)))
            at = self.text.find(wanted, at + len(wanted))
        return spans

    def line_of(self, span: Span) -> int:
        return self.text.count("\n", 0, span.start) + 1

    def replaced(self, spans: Sequence[Span], new: str) -> str:
        """The original with new text in place of the spans; what both share stays untouched."""
        pieces: list[str] = []
        position = 0
        for span in spans:
            start, end, middle = self._narrowed(span, new)
            pieces += [self._original[position:start], with_newlines(middle, self._newline)]
            position = end
        pieces.append(self._original[position:])
        return "".join(kept_apart(pieces))

    def _narrowed(self, span: Span, new: str) -> tuple[int, int, str]:
        old = self.text[span.start : span.end]
        before = _shared(old, new)
        after = _shared(old[before:][::-1], new[before:][::-1])
        start, end = self._place(span.start + before), self._place(span.end - after)
        return start, end, new[before : len(new) - after]

    def _place(self, position: int) -> int:
        """The place in the original."""
        return position + bisect_left(self._shortened, position)


def _shared(one: str, other: str) -> int:
    """How many characters are the same from the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def kept_apart(pieces: Iterable[str]) -> list[str]:
    """Pieces that can be joined: where a CR would meet an LF, two line ends would become one."""
    kept = [piece for piece in pieces if piece]
    for number, (one, other) in enumerate(pairwise(kept)):
        if one[-1] == "\r" and other[0] == "\n":
            kept[number] = one + "\n"
    return kept
