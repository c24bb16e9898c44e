"""Where the blocks of a diff belong in a file, and what comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from roo_code.builtin_tools.apply_diff_blocks import Block
from roo_code.builtin_tools.editing.document import Item, Splice
from roo_code.builtin_tools.editing.likeness import line_changes
from roo_code.builtin_tools.editing.matching import Haystack, Nearest, Window
from roo_code.builtin_tools.editing.reindenting import Reindenter
from roo_code.builtin_tools.line_numbers import without_numbers

_NUMBERED = re.compile(r" *\d+ \| ?(.*)")
_PIPED = re.compile(r"\s*(?:\d+\s)?\|\s(.*)")
_ENTITIES = {
    "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'", "&#91;": "[",
    "&#93;": "]", "&lsqb;": "[", "&rsqb;": "]", "&amp;": "&",
}  # fmt: skip


class MatchRules(NamedTuple):
    threshold: float = 1.0
    """How alike text must be, apart from blanks and typographic signs."""
    buffer_lines: int = 40
    """How far from the line named in the diff its text may be."""


class Placed(NamedTuple):
    """A block that fits."""

    block: Block
    splice: Splice
    remark: str = ""


class Failure(NamedTuple):
    """A block that does not, and what to say about it."""

    block: Block
    problem: str
    """Such that "This block was not applied: " may precede it."""
    nearest: Nearest | None = None
    reading: Block | None = None
    """The block as it was understood where the nearest text was found."""


def place_blocks(
    lines: Sequence[str], blocks: Sequence[Block], rules: MatchRules
) -> tuple[list[Placed], list[Failure]]:
    """All blocks against the file as it is now: what one changes, another cannot have meant."""
    haystack = Haystack(lines)
    placed: list[Placed] = []
    failures: list[Failure] = []
    for block in blocks:
        result = _place(haystack, block, rules)
        if isinstance(result, Placed):
            placed.append(result)
        else:
            failures.append(result)
    return placed, failures + list(_overlaps(placed))


def _overlaps(placed: Sequence[Placed]) -> Iterator[Failure]:
    for one, other in pairwise(sorted(placed, key=lambda place: place.splice[:2])):
        if other.splice.start < one.splice.end:
            yield Failure(
                other.block,
                f"it changes lines that the block in line {one.block.line} of the diff changes too "
                f"(from line {other.splice.start + 1}); join the two into one block",
            )


def _place(haystack: Haystack, block: Block, rules: MatchRules) -> Placed | Failure:
    if not any(line.strip() for line in block.search):
        return Failure(
            block,
            "its SEARCH part is empty; name lines that are there, or add some with insert_content",
        )
    if block.search == block.replace:
        return Failure(block, "its SEARCH and REPLACE parts are the same, so it changes nothing")
    readings = list(_readings(block))
    for reading, remark in readings:
        starts, exact = haystack.find(reading.search, _window(haystack, reading, rules))
        if starts:
            return _decided(haystack, block, reading, starts, exact=exact, remark=remark)
    # What is only similar must not be taken with the numbers that a model put before its lines.
    reading, remark = next((pair for pair in readings if pair[1]), readings[0])
    if rules.threshold < 1:
        window = _window(haystack, reading, rules)
        places = haystack.similar(reading.search, window, rules.threshold)
        if starts := [place.start for place in places]:
            return _decided(haystack, block, reading, starts, exact=False, remark=remark)
    return _not_found(haystack, block, reading, rules)


def _decided(
    haystack: Haystack,
    block: Block,
    reading: Block,
    starts: Sequence[int],
    *,
    exact: bool,
    remark: str,
) -> Placed | Failure:
    """The only place, or of several the one nearest to the line that was named."""
    start = starts[0]
    if len(starts) > 1:
        hint = reading.start_line - 1
        start, other = sorted(starts, key=lambda place: abs(place - hint))[:2]
        if not reading.start_line or abs(start - hint) == abs(other - hint):
            return Failure(block, _ambiguous(starts))
    return _placed(haystack, block, reading, start, exact=exact, remark=remark)


def _not_found(haystack: Haystack, block: Block, reading: Block, rules: MatchRules) -> Failure:
    anywhere = Window(0, len(haystack.lines) - len(reading.search) + 1)
    if starts := haystack.find(reading.search, anywhere)[0]:
        return Failure(
            block,
            f"its text is not within {rules.buffer_lines} lines of line {reading.start_line}, but "
            f"at {_numbers(starts)}; if you mean it, say so with :start_line:",
        )
    nearest = haystack.nearest(reading.search, _window(haystack, reading, rules))
    where = f" near line {reading.start_line}" if reading.start_line else ""
    return Failure(block, f"its text was not found{where}", nearest, reading)


def _window(haystack: Haystack, block: Block, rules: MatchRules) -> Window:
    total, length = len(haystack.lines), len(block.search)
    if not block.start_line:
        return Window(0, total - length + 1)
    first = max(0, block.start_line - rules.buffer_lines - 1)
    end = min(total, block.start_line + length + rules.buffer_lines)
    return Window(first, end - length + 1, block.start_line - 1)


def _ambiguous(starts: Sequence[int]) -> str:
    return (
        f"its text is in the file {len(starts)} times, at {_numbers(starts)}; say which one with "
        ":start_line:, or search for more lines around it"
    )


def _numbers(starts: Sequence[int]) -> str:
    numbers = ", ".join(str(start + 1) for start in starts[:8])
    more = f" and {len(starts) - 8} more" if len(starts) > 8 else ""
    return f"line{'s' if len(starts) > 1 else ''} {numbers}{more}"


def _readings(block: Block) -> Iterator[tuple[Block, str]]:
    """The block as it is, then as it may have been meant."""
    yield block, ""
    if numbered := without_numbers("\n".join(block.search)):
        first = int(block.search[0].split("|")[0])
        search, replace = tuple(numbered.split("\n")), _each(_NUMBERED, block.replace)
        start_line = block.start_line or first
        yield Block(block.line, search, replace, start_line), "without its line numbers"
    elif all(_PIPED.fullmatch(line) for line in block.search):
        search, replace = _each(_PIPED, block.search), _each(_PIPED, block.replace)
        yield Block(block.line, search, replace, block.start_line), "without its bars"
    if not block.search[-1].strip():
        yield _without_last_blank(block), ""
    decoded = block._replace(search=_decoded(block.search), replace=_decoded(block.replace))
    if decoded.search != block.search:
        yield decoded, "with entities such as &lt; decoded"


def _each(prefix: re.Pattern[str], lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(match[1] if (match := prefix.fullmatch(line)) else line for line in lines)


def _without_last_blank(block: Block) -> Block:
    """Blank lines before the markers are often meant as air."""
    search, replace = list(block.search), list(block.replace)
    while not search[-1].strip():
        search.pop()
        if replace and not replace[-1].strip():
            replace.pop()
    return block._replace(search=tuple(search), replace=tuple(replace))


def _decoded(lines: Sequence[str]) -> tuple[str, ...]:
    text = "\n".join(lines)
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return tuple(text.split("\n")) if lines else ()


def _placed(
    haystack: Haystack, block: Block, reading: Block, start: int, *, exact: bool, remark: str
) -> Placed:
    found = haystack.lines[start : start + len(reading.search)]
    splice = Splice(start, start + len(found), _items(reading, start, found, exact=exact))
    loose = "" if exact else "apart from blanks or small differences"
    return Placed(block, splice, ", ".join(filter(None, [remark, loose])))


def _items(block: Block, start: int, found: Sequence[str], *, exact: bool) -> tuple[Item, ...]:
    """The lines after the change: those that SEARCH and REPLACE share stay as the file has them."""
    indented = None if exact else Reindenter(block.search, found)
    items: list[Item] = []
    for code in line_changes(block.search, block.replace):
        if code.tag == "equal":
            items += range(start + code.src_start, start + code.src_end)
        else:
            new = block.replace[code.dest_start : code.dest_end]
            items += new if indented is None else map(indented, new)
    return tuple(items)
