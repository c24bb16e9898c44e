"""What the model is told of blocks that do not fit: of each, briefly, with the nearest text."""

from __future__ import annotations

from collections.abc import Sequence

from roo_code.builtin_tools.apply_diff_matching import Failure, MatchRules
from roo_code.builtin_tools.editing.excerpts import excerpt
from roo_code.builtin_tools.editing.likeness import plain

MOST_CHARACTERS = 6000
"""Of all failures together; what does not fit is told in one line each."""


def failure_report(
    shown: str, lines: Sequence[str], failures: Sequence[Failure], total: int, rules: MatchRules
) -> str:
    do = "does" if len(failures) == 1 else "do"
    count = f"The block {do}" if total == 1 else f"{len(failures)} of {total} blocks {do}"
    parts = [
        f"{count} not fit {shown!r}, so nothing was changed. If the file may differ from what you "
        "know, read it again; then send all blocks once more."
    ]
    left = MOST_CHARACTERS
    for failure in failures:
        head = _head(failure)
        detail = f"{head}\n{_nearest(lines, failure, rules)}" if failure.reading else head
        told = detail if len(detail) <= left else head
        left -= len(told)
        parts.append(told)
    body = "\n\n".join(parts)
    return f"<error_details>\n{body}\n</error_details>"


def _head(failure: Failure) -> str:
    block = failure.block
    at = f", start_line {block.start_line}" if block.start_line else ""
    return f"Block in line {block.line} of the diff{at}: {failure.problem}."


def _nearest(lines: Sequence[str], failure: Failure, rules: MatchRules) -> str:
    nearest, reading = failure.nearest, failure.reading
    if nearest is None or reading is None:
        return "Nothing similar is there."
    found = lines[nearest.start : nearest.start + len(reading.search)]
    pairs = zip(reading.search, found, strict=False)
    different = next(
        (index for index, (one, other) in enumerate(pairs) if plain(one) != plain(other)), 0
    )
    shown = excerpt(lines, nearest.start, nearest.start + len(found), nearest.start + different)
    wanted = reading.search[different].strip()
    return (
        f"Nearest text ({int(nearest.likeness * 100)}% alike, {rules.threshold:.0%} needed):\n"
        f"{shown}\n"
        f"First difference in line {nearest.start + different + 1}; you searched for: "
        f"{wanted[:200]!r}"
    )
