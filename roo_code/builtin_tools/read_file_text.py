"""Lines of a file as the model is shown them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from roo_code.builtin_tools.indentation import BlockRules, block_around
from roo_code.builtin_tools.line_numbers import LONGEST_LINE, number_lines
from roo_code.builtin_tools.read_file_input import DEFAULT_LIMIT, Indentation
from roo_code.errors import ToolError
from roo_code.workspace.lines import LineWindow, read_lines
from roo_code.workspace.text import fallback_encoding

MOST_CHARACTERS = 100_000
"""As much text as one call returns; the note at the top then says where to go on."""
_BLOCK_CHARACTERS = 8_000_000
"""As much text around an anchor as is searched for the ends of its block."""


class Selection(NamedTuple):
    """Which lines are wanted."""

    ranges: tuple[tuple[int, int], ...]
    block: Indentation | None = None
    limit: int = DEFAULT_LIMIT

    def windows(self) -> list[LineWindow]:
        most = _BLOCK_CHARACTERS if self.block else MOST_CHARACTERS // len(self.ranges)
        return [
            LineWindow(first, last, longest=LONGEST_LINE, budget=most)
            for first, last in self.ranges
        ]


def show_text(file: BinaryIO, encoding: str, mark: int, selection: Selection) -> str:
    """The lines of a text file, whose encoding is a guess, after a byte order mark."""
    file.seek(mark)
    windows = selection.windows()
    try:
        total = read_lines(file, encoding, windows)
    except UnicodeDecodeError:
        windows, total = _read_otherwise(file, selection)
    if total == 0:
        return "Note: the file is empty."
    if selection.block is not None:
        return _show_block(windows[0], total, selection.block, selection.limit)
    return "\n".join(show_windows(windows, total, selection.limit))


def _read_otherwise(file: BinaryIO, selection: Selection) -> tuple[list[LineWindow], int]:
    """The lines of a file that is not UTF-8; the last guess always holds."""
    file.seek(0)
    guess = fallback_encoding(file)
    file.seek(0)
    windows = selection.windows()
    try:
        return windows, read_lines(file, guess, windows)
    except UnicodeDecodeError:
        file.seek(0)
        windows = selection.windows()
        return windows, read_lines(file, "latin-1", windows)


def show_windows(
    windows: Sequence[LineWindow], total: int, limit: int, *, whole: bool = True
) -> Iterator[str]:
    """The lines with their numbers, and how to go on. If not `whole`, there are more than total."""
    end = 0
    for window in windows:
        if window.first > total:
            yield f"Note: line {window.first} is beyond the end; the file has {total} lines."
            continue
        if end and window.first > end + 1:
            yield f"[... lines {end + 1}-{window.first - 1} not shown ...]"
        end = window.first + len(window.lines) - 1
        if (end < total or not whole) and window is windows[-1]:
            of = f"{total}" if whole else "more"
            yield (
                f"Note: showing lines {window.first}-{end} of {of}. To read on, call "
                f"read_file with offset={end + 1} and limit={limit}."
            )
        yield number_lines(window.lines, window.first, width=len(str(end)))


def _show_block(window: LineWindow, total: int, block: Indentation, limit: int) -> str:
    anchor = block.anchor_line - window.first
    if block.anchor_line > total:
        raise ToolError(f"anchor_line {block.anchor_line} is not one of the lines 1-{total}.")
    if anchor >= len(window.lines):
        raise ToolError("the lines before the anchor are too long; use offset and limit instead.")
    rules = BlockRules(block.max_levels, block.include_siblings, block.include_header, limit)
    top, bottom = block_around(window.lines, anchor, rules)
    first, last = window.first + top, window.first + bottom
    shown = number_lines(window.lines[top : bottom + 1], first, width=len(str(last)))
    note = f"Included ranges: {first}-{last} (total: {total} lines)"
    if bottom - top + 1 >= limit:
        note += f"; cut at {limit} lines, the block may go on"
    return f"{shown}\n{note}"


def joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, without overlaps."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted((min(pair), max(pair)) for pair in ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
