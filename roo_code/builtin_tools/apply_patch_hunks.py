"""Where the hunks of a patch belong in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roo_code.builtin_tools.apply_patch_format import Hunk, HunkLine
from roo_code.builtin_tools.editing.document import Item, Splice
from roo_code.builtin_tools.editing.excerpts import excerpt, shortened
from roo_code.builtin_tools.editing.matching import Haystack, Window
from roo_code.builtin_tools.editing.reindenting import Reindenter


class HunkProblem(NamedTuple):
    hunk: Hunk
    problem: str

    def __str__(self) -> str:
        return f"Hunk in line {self.hunk.line} of the patch: {self.problem}"


def place_hunks(
    lines: Sequence[str], hunks: Sequence[Hunk]
) -> tuple[list[Splice], list[HunkProblem]]:
    """One after the other down the file, and what is wrong with those that do not fit."""
    haystack = Haystack(lines)
    splices: list[Splice] = []
    problems: list[HunkProblem] = []
    position = 0
    for hunk in hunks:
        try:
            splice = _place(haystack, hunk, position)
        except _DoesNotFit as error:
            problems.append(HunkProblem(hunk, str(error)))
            continue
        splices.append(splice)
        position = splice.end
    return splices, problems


class _DoesNotFit(Exception):
    pass


def _place(haystack: Haystack, hunk: Hunk, position: int) -> Splice:
    after, sure = _after_contexts(haystack, hunk, position)
    if not hunk.old:
        place = after if hunk.contexts and not hunk.at_end else len(haystack.lines)
        return Splice(place, place, tuple(line.text for line in hunk.lines))
    for lines in _readings(hunk.lines):
        old = [line.text for line in lines if line.sign != "+"]
        starts, exact = haystack.find(old, _window(haystack, hunk, len(old), after))
        if len(starts) > 1 and not (sure and hunk.contexts):
            raise _DoesNotFit(_ambiguous(starts))
        if starts:
            return _splice(haystack, lines, starts[0], exact=exact)
    raise _DoesNotFit(_not_found(haystack, hunk, after))


def _window(haystack: Haystack, hunk: Hunk, length: int, after: int) -> Window:
    last = len(haystack.lines) - length
    return Window(max(after, last) if hunk.at_end else after, last + 1)


def _readings(lines: Sequence[HunkLine]) -> list[Sequence[HunkLine]]:
    """The lines as they are, then without a blank one at the end, which may be air."""
    trailing = lines[-1].sign == " " and not lines[-1].text.strip() and len(lines) > 1
    return [lines, lines[:-1]] if trailing else [lines]


def _after_contexts(haystack: Haystack, hunk: Hunk, position: int) -> tuple[int, bool]:
    """The line after the hunk's contexts, and whether there is no other place for them."""
    sure = True
    for context in hunk.contexts:
        starts, _ = haystack.find([context], Window(position, len(haystack.lines)))
        if not starts:
            raise _DoesNotFit(
                f"its @@ names a line that is not after line {position}: {shortened(context)!r}."
            )
        sure = sure and len(starts) == 1
        position = starts[0] + 1
    return position, sure


def _splice(haystack: Haystack, lines: Sequence[HunkLine], start: int, *, exact: bool) -> Splice:
    """Lines that only surround the change stay as the file has them."""
    old = [line.text for line in lines if line.sign != "+"]
    found = haystack.lines[start : start + len(old)]
    indented = None if exact else Reindenter(old, found)
    items: list[Item] = []
    at = start
    for line in lines:
        if line.sign == "+":
            items.append(indented(line.text) if indented else line.text)
            continue
        if line.sign == " ":
            items.append(at)
        at += 1
    return Splice(start, at, tuple(items))


def _ambiguous(starts: Sequence[int]) -> str:
    numbers = ", ".join(str(start + 1) for start in starts[:8])
    more = ", ..." if len(starts) > 8 else ""
    return (
        f"its old lines are in the file {len(starts)} times (lines {numbers}{more}). Add more "
        "lines around the change, or name the function or class it is in with @@."
    )


def _not_found(haystack: Haystack, hunk: Hunk, after: int) -> str:
    old = hunk.old
    where = f" after line {after}" if after else ""
    if hunk.at_end:
        where = " at the end of the file"
    nearest = haystack.nearest(old, Window(0, len(haystack.lines) - len(old) + 1))
    if nearest is None:
        text = shortened("\n".join(old))
        return f"failed to find expected lines{where}, nor anything similar:\n{text}"
    end = nearest.start + len(old)
    pairs = zip(range(nearest.start, end), old, strict=True)
    focus = next((number for number, line in pairs if haystack.lines[number] != line), end - 1)
    return (
        f"failed to find expected lines{where}. Nearest text ({int(nearest.likeness * 100)}% alike "
        f"apart from blanks):\n{excerpt(haystack.lines, nearest.start, end, focus)}\n"
        f"First difference in line {focus + 1}; expected there: "
        f"{shortened(old[focus - nearest.start])!r}"
    )
