"""Line numbers before lines, put there for the model and taken off what it sends back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

LONGEST_LINE = 2000
_NUMBERED = re.compile(r" *(\d+) \|(?: (.*))?", re.DOTALL)


def number_lines(lines: Iterable[str], first: int, *, width: int) -> str:
    return "\n".join(
        f"{number:>{width}} | {shorten(line)}" for number, line in enumerate(lines, first)
    )


def shorten(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 3] + "..."


def without_numbers(text: str) -> str | None:
    """The text as it was before `number_lines`, or None if some line has no number.

    The numbers must count up by one, so that a table of figures is left alone.
    """
    lines = text.removesuffix("\n").split("\n")
    found = [_NUMBERED.fullmatch(line.removesuffix("\r")) for line in lines]
    matches = [match for match in found if match is not None]
    if len(matches) < len(lines) or not _count_up([int(match[1]) for match in matches]):
        return None
    bare = "\n".join(match[2] or "" for match in matches)
    return bare + "\n" if text.endswith("\n") else bare


def _count_up(numbers: Sequence[int]) -> bool:
    return all(after == before + 1 for before, after in pairwise(numbers))
