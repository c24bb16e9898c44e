"""What `rg` finds, read while it searches and kept within bounds."""

from __future__ import annotations

from collections.abc import Callable

MOST_RESULTS = 300
MOST_LINES = 1500
MOST_CHARACTERS = 100_000
LONGEST_LINE = 500
CUT = "[truncated...]"

ARGUMENTS = (
    "--no-config",
    "--null",
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--color=never",
    "--context=1",
    "--no-context-separator",
    # Not --json, which gives a line of a gigabyte in full. In bytes, of which a character has four.
    f"--max-columns={LONGEST_LINE * 4}",
    "--max-columns-preview",
    f"--max-count={MOST_RESULTS}",
    "--no-messages",
    "--no-ignore-messages",
    "--engine=auto",
)
"""So that each line comes as path, NUL, number, colon or hyphen, text."""


class Matches:
    """Fed with output of `rg`; `full` once more would be too much."""

    def __init__(self, hides: Callable[[str], bool]) -> None:
        self.files: dict[str, list[tuple[int, str]]] = {}
        self.results = 0
        self.notes: list[str] = []
        self._hides = hides
        self._hidden: dict[str, bool] = {}
        self._rest = b""
        self._path = b""
        self._lines = 0
        self._characters = 0

    @property
    def full(self) -> bool:
        return (
            self.results >= MOST_RESULTS
            or self._lines >= MOST_LINES
            or self._characters >= MOST_CHARACTERS
        )

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self.full:
                return
            self._take(line)

    def _take(self, line: bytes) -> None:
        path, nul, found = line.partition(b"\0")
        if path.startswith(b"./"):
            self._path = path
        else:
            self._path += b"\n" + path  # a name with a line break in it
        if not nul:
            self._note(line)
            return
        name = self._path[2:].decode("utf-8", "surrogateescape")
        if name not in self._hidden:
            self._hidden[name] = self._hides(name)
        if not self._hidden[name]:
            self._add(name, found)

    def _add(self, name: str, found: bytes) -> None:
        digits = len(found) - len(found.lstrip(b"0123456789"))
        number = int(found[:digits])
        text = found[digits + 1 :].decode("utf-8", "replace").rstrip("\r")
        if len(text) > LONGEST_LINE:
            text = text[:LONGEST_LINE] + CUT
        lines = self.files.setdefault(name, [])
        self.results += not lines or number > lines[-1][0] + 1
        lines.append((number, text))
        self._lines += 1
        self._characters += len(text)

    def _note(self, line: bytes) -> None:
        """Remarks of `rg`, such as that a file is binary."""
        if b": " in line and len(self.notes) < 5:
            self.notes.append(line.removeprefix(b"./").decode("utf-8", "replace"))
