"""A terminal's screen: its lines, and a cursor that programs move to draw over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

ROWS = 40
COLUMNS = 160
"""What programs on a terminal of ours are told; wide, so that they seldom break lines."""
_LAST_COLUMN = 1000

_MOVES: Mapping[str, Callable[[int, int, int], tuple[int, int]]] = {
    "A": lambda row, column, count: (row - count, column),
    "B": lambda row, column, count: (row + count, column),
    "C": lambda row, column, count: (row, column + count),
    "D": lambda row, column, count: (row, column - count),
    "E": lambda row, column, count: (row + count, 0),
    "F": lambda row, column, count: (row - count, 0),
    "G": lambda row, column, count: (row, count - 1),
    "d": lambda row, column, count: (count - 1, column),
}
"""Where the cursor goes, from where it is."""


class Screen:
    """Lines that leave it at the top are final; nothing is ever broken at its right edge."""

    def __init__(self) -> None:
        self.lines = [""]
        self.row = 0
        self.column = 0
        self._saved = (0, 0)

    @property
    def at_end(self) -> bool:
        return self.row == len(self.lines) - 1 and self.column == len(self.lines[-1])

    @property
    def length(self) -> int:
        """Characters of the line that the cursor is in."""
        return len(self.lines[self.row])

    @property
    def text(self) -> str:
        """All lines, but for the empty ones below the cursor."""
        last = max((n for n, line in enumerate(self.lines) if line), default=0)
        return "\n".join(self.lines[: max(last, self.row) + 1])

    def append(self, text: str) -> str:
        """Plain text at the end of the screen; returns what leaves it."""
        ends = (self.lines.pop() + text).rsplit("\n", ROWS)
        self.lines += ends
        final = self._scroll()
        self.row, self.column = len(self.lines) - 1, len(self.lines[-1])
        return final

    def new_line(self) -> str:
        """To the start of the next line; returns what leaves the screen for it."""
        self._go(self.row + 1, 0)
        final = self._scroll()
        self.row = min(self.row, ROWS - 1)
        return final

    def put(self, text: str) -> None:
        line = self.lines[self.row]
        if self.column == len(line):
            self.lines[self.row] = line + text
        else:
            before = line[: self.column].ljust(self.column)
            self.lines[self.row] = before + text + line[self.column + len(text) :]
        self.column += len(text)

    def obey(self, command: str, arguments: str) -> None:
        """The control sequences by which programs draw; those for colours mean nothing here."""
        numbers = [int(part) if part.isdecimal() else 0 for part in arguments.split(";")]
        count, column = max(numbers[0], 1), max([1, *numbers[1:2]]) - 1
        if move := _MOVES.get(command):
            row, column = move(self.row, self.column, count)
            self._go(min(row, ROWS - 1), column)
        elif command in {"H", "f"}:
            self._go(min(count, ROWS) - 1, column)
        elif command == "J":
            self._erase_lines(numbers[0])
        elif command == "K":
            self._erase_line(numbers[0])
        elif command == "s":
            self.save()
        elif command == "u":
            self.restore()

    def save(self) -> None:
        self._saved = (self.row, self.column)

    def restore(self) -> None:
        self._go(*self._saved)

    def carriage_return(self) -> None:
        self.column = 0

    def backspace(self) -> None:
        self._go(self.row, self.column - 1)

    def _go(self, row: int, column: int) -> None:
        self.row = max(row, 0)
        self.column = min(max(column, 0), _LAST_COLUMN)
        self.lines += [""] * (self.row + 1 - len(self.lines))

    def _scroll(self) -> str:
        excess = len(self.lines) - ROWS
        if excess <= 0:
            return ""
        final = "\n".join(self.lines[:excess]) + "\n"
        del self.lines[:excess]
        return final

    def _erase_lines(self, what: int) -> None:
        """From the cursor on, up to it, or all; the cursor stays where it is."""
        here = self.lines[self.row]
        if what == 0:
            del self.lines[self.row + 1 :]
            self.lines[self.row] = here[: self.column]
        elif what == 1:
            self.lines[: self.row] = [""] * self.row
            self._erase_line(1)
        else:
            self.lines = [""] * (self.row + 1)

    def _erase_line(self, what: int) -> None:
        line = self.lines[self.row]
        if what == 0:
            self.lines[self.row] = line[: self.column]
        elif what == 1:
            self.lines[self.row] = " " * (self.column + 1) + line[self.column + 1 :]
        elif what == 2:
            self.lines[self.row] = ""
