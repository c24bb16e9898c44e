"""How alike two texts are, where blanks and typographic signs do not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcode

LONGEST_COMPARED = 20_000
"""The time it takes to compare longer texts grows beyond use; they are only looked up."""

_TYPOGRAPHY = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u2026": "...",
})  # fmt: skip


def plain(line: str) -> str:
    """The line with plain quotes and dashes, and one blank for any number of them."""
    if not line.isascii():
        line = line.translate(_TYPOGRAPHY)
    return " ".join(line.split())


def plain_text(lines: Iterable[str]) -> str:
    """Plain lines as one text to compare."""
    return " ".join(filter(None, lines))


def similarity(one: str, other: str, *, at_least: float = 0.0) -> float:
    """From 0 to 1, by how many characters must change; 0 too if it is below `at_least`."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - for edits that do not fit only

    if max(len(one), len(other)) > LONGEST_COMPARED:
        return float(one == other)
    return Levenshtein.normalized_similarity(one, other, score_cutoff=at_least)


def most_alike_lines(wanted: str, lines: Sequence[str], *, most: int) -> list[int]:
    """Indexes of the lines that resemble one line most, the best first."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - for edits that do not fit only

    found = process.extract(
        wanted[:LONGEST_COMPARED],
        [line if len(line) <= 2 * len(wanted) + 20 else "" for line in lines],
        scorer=fuzz.ratio,
        limit=most,
        score_cutoff=50,
    )
    return [index for _, _, index in found]


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """What makes the new lines of the old ones, as little of it as possible."""
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - as above

    numbers: dict[str, int] = {}  # it compares lines by their hashes, which would not be sure
    coded = [[numbers.setdefault(line, len(numbers)) for line in lines] for lines in (old, new)]
    return list(LCSseq.opcodes(*coded))
