"""A few numbered lines of a file, for an error that must stay short."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_LINES = 10
_MOST_OF_A_LINE = 160


def excerpt(lines: Sequence[str], start: int, end: int, focus: int) -> str:
    """The lines from `start` to before `end`, or those around `focus` if they are many."""
    if end - start > _MOST_LINES:
        start = max(start, min(focus - 2, end - _MOST_LINES))
        end = start + _MOST_LINES
    width = len(str(end))
    return "\n".join(
        f"{number:>{width}} | {shortened(line)}"
        for number, line in enumerate(lines[start:end], start + 1)
    )


def shortened(line: str) -> str:
    return line if len(line) <= _MOST_OF_A_LINE else f"{line[:_MOST_OF_A_LINE]}..."
