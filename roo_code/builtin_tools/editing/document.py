"""A text as lines, and changes to some of them that leave all others as they are."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from roo_code.builtin_tools.editing.plain_text import kept_apart
from roo_code.workspace.text import Newline, main_newline

Item: TypeAlias = int | str
"""A line that stays, by its index, or the text of a new one."""


class Splice(NamedTuple):
    """What comes in place of the lines from `start` to before `end`."""

    start: int
    end: int
    items: tuple[Item, ...]


class LineCounts(NamedTuple):
    added: int = 0
    removed: int = 0

    def __str__(self) -> str:
        return f"{counted(self.added)} added, {self.removed} removed"


def counted(lines: int) -> str:
    return f"{lines} line" if lines == 1 else f"{lines} lines"


class Document:
    """Lines end with LF, CR LF or CR; of a mix, each line keeps its own."""

    def __init__(self, text: str) -> None:
        self._whole = list(io.StringIO(text, newline=""))
        self.lines = [line.rstrip("\r\n") for line in self._whole]
        """Without their ends."""
        self.newline: Newline = main_newline(text)
        self.open_ended = bool(text) and text[-1] not in "\r\n"
        """Whether the last line has no end."""

    def with_changes(self, splices: Iterable[Splice], *, close: bool = False) -> str:
        """The text after changes, which must not overlap.

        A new last line ends as the last line did, or always if `close` is true.
        """
        items: list[Item] = []
        position = 0
        for splice in sorted(splices, key=lambda splice: splice[:2]):
            items += range(position, splice.start)
            items += splice.items
            position = splice.end
        items += range(position, len(self._whole))
        return "".join(kept_apart(self._ended(items, close=close)))

    def _ended(self, items: Sequence[Item], *, close: bool) -> list[str]:
        whole, newline = self._whole, self.newline
        written = [whole[item] if isinstance(item, int) else item + newline for item in items]
        if self.open_ended and written:
            last = len(whole) - 1
            for index, item in enumerate(items[:-1]):
                if item == last:
                    written[index] += newline
            if isinstance(items[-1], str) and not close:
                written[-1] = items[-1] or newline  # an empty line is one only by its end
        return written


def count_lines(splices: Iterable[Splice]) -> LineCounts:
    added = removed = 0
    for splice in splices:
        kept = sum(1 for item in splice.items if isinstance(item, int))
        added += len(splice.items) - kept
        removed += splice.end - splice.start - kept
    return LineCounts(added, removed)


def lines_of(text: str) -> list[str]:
    """The lines that a piece of text would add to a document."""
    return [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]
