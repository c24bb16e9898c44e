"""The SEARCH/REPLACE blocks of apply_diff: their grammar and what is wrong with a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from roo_code.builtin_tools.editing.document import lines_of
from roo_code.errors import ToolError

FORMAT = """\
<<<<<<< SEARCH
:start_line:<number of the first of these lines in the file>
-------
<lines as they are in the file>
=======
<lines to put in their place>
>>>>>>> REPLACE"""

_SEARCH = re.compile(r"<<<<<<< SEARCH>?")
_SEPARATOR = "======="
_END = ">>>>>>> REPLACE"
_DASHES = "-------"
_LINE_HINT = re.compile(r":(?:start|end)_line:\s*\[?\s*(\d+)\s*\]?")
_HINTS = (":start_line:", ":end_line:")
_ESCAPED = re.compile(r"\\(?=\\*(?:<<<<<<<|=======|>>>>>>>|-------|:start_line:|:end_line:))")


class Block(NamedTuple):
    line: int
    """Where it begins in the diff."""
    search: tuple[str, ...]
    replace: tuple[str, ...]
    start_line: int = 0
    """Where the text should be, counted from 1; 0 if that was not said."""


class MalformedDiff(ToolError):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(
            f"The diff is malformed at its line {line}: {problem}\nNothing was changed. "
            f"The format, each marker alone at the beginning of its line:\n\n{FORMAT}\n\nA line of "
            "text that itself begins like a marker needs a backslash before it, as in \\=======."
        )


def parse_blocks(diff: str) -> list[Block]:
    """All blocks in their order. Text between them is passed over; a malformed one is an error."""
    lines = _Lines(lines_of(diff))
    blocks: list[Block] = []
    for line in lines:
        if _SEARCH.fullmatch(line):
            blocks.append(_block(lines))
        elif _is_marker(line):
            raise lines.malformed(f"{line!r} stands where '<<<<<<< SEARCH' should begin a block.")
    if not blocks:
        raise MalformedDiff(1, "there is no '<<<<<<< SEARCH' block in it.")
    return blocks


class _Lines:
    """The lines of the diff, one after the other, and the number of the current one."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while self.number < len(self._lines):
            self.number += 1
            yield self.current.rstrip()

    @property
    def current(self) -> str:
        return self._lines[self.number - 1]

    def next_starts_with(self, beginning: str) -> bool:
        rest = self._lines[self.number : self.number + 1]
        return bool(rest) and rest[0].startswith(beginning)

    def malformed(self, problem: str) -> MalformedDiff:
        return MalformedDiff(self.number, problem)


def _block(lines: _Lines) -> Block:
    first = lines.number
    start_line = _header(lines)
    search = _section(lines, until=_SEPARATOR)
    replace = _section(lines, until=_END)
    return Block(first, search, replace, start_line)


def _header(lines: _Lines) -> int:
    start_line = 0
    for hint in _HINTS:
        if lines.next_starts_with(hint):
            line = next(iter(lines))
            number = _LINE_HINT.fullmatch(line)
            if number is None:
                raise lines.malformed(f"{line!r} needs a line number, as in '{hint}12'.")
            start_line = int(number[1]) if hint == ":start_line:" else start_line
    if lines.next_starts_with(_DASHES) and next(iter(lines)) != _DASHES:
        lines.number -= 1  # more than the marker, so it is text
    return start_line


def _section(lines: _Lines, *, until: str) -> tuple[str, ...]:
    begun = lines.number
    section: list[str] = []
    for line in lines:
        if line == until:
            return tuple(section)
        if _is_marker(line):
            raise lines.malformed(f"{line!r} stands where {until!r} is still to come.")
        if until == _END and line.lstrip().startswith(_HINTS):
            raise lines.malformed(f"{line.strip()!r} may stand in the SEARCH part only.")
        escaped = _ESCAPED.match(line)
        section.append(lines.current[1:] if escaped else lines.current)
    raise lines.malformed(
        f"the diff ends without the {until!r} of the block in line {begun}; it may be cut off."
    )


def _is_marker(line: str) -> bool:
    return line == _SEPARATOR or line.startswith(("<<<<<<<", ">>>>>>>"))
