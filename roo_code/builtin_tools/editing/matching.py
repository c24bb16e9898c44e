"""Finding lines in a file: as they are, apart from blanks and signs, or nearly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from roo_code.builtin_tools.editing.likeness import (
    most_alike_lines,
    plain,
    plain_text,
    similarity,
)

_FEW_WINDOWS = 400
_LEAST_LIKENESS = 0.4
"""Below this, text is not called similar."""
_LEVELS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, plain)
"""Ways to compare lines, the strictest first."""


class Window(NamedTuple):
    """Where lines may begin, as indexes, the last excluded; and where to look first."""

    first: int
    end: int
    hint: int | None = None


class Nearest(NamedTuple):
    start: int
    likeness: float


class Haystack:
    """The lines of a file, indexed when first needed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._levels: dict[int, _Level] = {}

    def find(self, needle: Sequence[str], window: Window) -> tuple[list[int], bool]:
        """Where the lines stand, and whether just so rather than apart from blanks and signs.

        If they stand at the hint, nothing else counts.
        """
        if window.hint is not None:
            here = Window(window.hint, window.hint + 1)
            if found := self._first_level(needle, here):
                return found
        return self._first_level(needle, window) or ([], False)

    def _first_level(self, needle: Sequence[str], window: Window) -> tuple[list[int], bool] | None:
        for number, form in enumerate(_LEVELS):
            wanted = [form(line) for line in needle]
            if window.end - window.first <= _FEW_WINDOWS:
                starts = self._nearby(wanted, form, window)
            else:
                starts = self._level(number).places(wanted, window)
            if starts:
                return starts, number == 0
        return None

    def _nearby(self, wanted: list[str], form: Callable[[str], str], window: Window) -> list[int]:
        """Among few places, looking is quicker than making an index of the whole file."""
        first, length = window.first, len(wanted)
        lines = [form(line) for line in self.lines[first : window.end + length - 1]]
        return [
            first + start
            for start in range(len(lines) - length + 1)
            if lines[start] == wanted[0] and lines[start : start + length] == wanted
        ]

    def _level(self, number: int) -> _Level:
        if number not in self._levels:
            self._levels[number] = _Level([_LEVELS[number](line) for line in self.lines])
        return self._levels[number]

    @property
    def _plain(self) -> _Level:
        return self._level(len(_LEVELS) - 1)

    def similar(self, needle: Sequence[str], window: Window, threshold: float) -> list[Nearest]:
        """The most similar places, if they are similar enough: more than one if it is a draw."""
        starts = range(window.first, window.end)
        hint = [start for start in starts if start == window.hint]
        return self._scored(needle, hint, threshold) or self._scored(needle, starts, threshold)

    def nearest(self, needle: Sequence[str], window: Window) -> Nearest | None:
        """What resembles the lines most, to show it to who looked for them in vain."""
        starts: Iterable[int] = range(window.first, window.end)
        if window.end - window.first > _FEW_WINDOWS:
            starts = self._promising(needle, window)
        found = self._scored(needle, starts, _LEAST_LIKENESS)
        hint = window.first if window.hint is None else window.hint
        return min(found, key=lambda place: abs(place.start - hint), default=None)

    def _scored(
        self, needle: Sequence[str], starts: Iterable[int], at_least: float
    ) -> list[Nearest]:
        wanted = plain_text(plain(line) for line in needle)
        best: list[Nearest] = []
        for start in starts:
            there = plain_text(self._plain.lines[start : start + len(needle)])
            score = similarity(wanted, there, at_least=at_least)
            if score < at_least or not score:
                continue
            if best and score > best[0].likeness:
                best.clear()
            best.append(Nearest(start, score))
            at_least = score
        return best

    def _promising(self, needle: Sequence[str], window: Window) -> list[int]:
        """Where rare lines of the needle stand, or lines that resemble its longest one."""
        votes: Counter[int] = Counter()
        wanted = [plain(line) for line in needle]
        for offset, line in enumerate(wanted):
            places = self._plain.index.get(line, ())
            if line and len(places) <= 100:
                for place in places:
                    votes[place - offset] += len(line)
        if not votes:
            offset = max(range(len(wanted)), key=lambda index: len(wanted[index]))
            for place in most_alike_lines(wanted[offset], self._plain.lines, most=10):
                votes[place - offset] += 1
        return [start for start, _ in votes.most_common(20) if window.first <= start < window.end]


class _Level:
    """The lines, each as it counts when compared in one way."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    @cached_property
    def index(self) -> Mapping[str, Sequence[int]]:
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self.lines):
            places[line].append(number)
        return dict(places)

    def places(self, wanted: list[str], window: Window) -> list[int]:
        """All places in the window, found by the rarest of the lines."""
        length = len(wanted)
        offset = min(range(length), key=lambda number: len(self.index.get(wanted[number], ())))
        return [
            start
            for place in self.index.get(wanted[offset], ())
            if window.first <= (start := place - offset) < window.end
            and self.lines[start : start + length] == wanted
        ]
