"""The patch format of apply_patch: its grammar and what is wrong with a patch."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from roo_code.builtin_tools.editing.document import lines_of
from roo_code.errors import ToolError

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_WRAPPING = re.compile(r"(?:\S*apply_patch\s+)?<<-?\s*(['\"]?)(\w+)\1|(```)\w*")
_UNIFIED = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*")

Sign: TypeAlias = Literal[" ", "-", "+"]


class HunkLine(NamedTuple):
    sign: Sign
    text: str


class Hunk(NamedTuple):
    line: int
    """Where it begins in the patch."""
    contexts: tuple[str, ...]
    """Lines, one after the other, that the place comes after."""
    lines: tuple[HunkLine, ...]
    at_end: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.sign != "+")


class AddFile(NamedTuple):
    path: str
    lines: tuple[str, ...]


class DeleteFile(NamedTuple):
    path: str


class UpdateFile(NamedTuple):
    path: str
    hunks: tuple[Hunk, ...]
    move_to: str | None = None


Operation: TypeAlias = AddFile | DeleteFile | UpdateFile


class InvalidPatch(ToolError):
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"Invalid patch format: Line {line}: {problem} Nothing was changed.")


def parse_patch(patch: str) -> list[Operation]:
    """What the patch asks for, in its order."""
    lines, first = _unwrapped(patch)
    if not lines or lines[0].strip() != _BEGIN:
        raise InvalidPatch(first, f"the patch must begin with {_BEGIN!r}.")
    if lines[-1].strip() != _END:
        last = first + len(lines) - 1
        raise InvalidPatch(last, f"the patch must end with {_END!r}; it may be cut off.")
    operations = _Parser(lines[1:-1], first + 1).operations()
    if not operations:
        raise InvalidPatch(first, "the patch names no file.")
    return operations


def _unwrapped(patch: str) -> tuple[list[str], int]:
    """The lines without blank ones around them, shell's here-document or fence; and the first."""
    lines = lines_of(patch)
    first = 1
    while lines and not lines[0].strip():
        lines, first = lines[1:], first + 1
    while lines and not lines[-1].strip():
        lines.pop()
    wrapping = _WRAPPING.fullmatch(lines[0].strip()) if len(lines) > 2 else None
    if wrapping and lines[-1].strip() == (wrapping[2] or wrapping[3]):
        return lines[1:-1], first + 1
    return lines, first


class _Parser:
    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = lines
        self._first = first
        self._at = 0

    def operations(self) -> list[Operation]:
        operations: list[Operation] = []
        while (line := self._peek()) is not None:
            self._at += 1
            if line.strip():
                operations.append(self._operation(line.strip()))
        return operations

    def _operation(self, header: str) -> Operation:
        if path := _after(header, _ADD):
            return AddFile(path, self._added_lines())
        if path := _after(header, _DELETE):
            return DeleteFile(path)
        if path := _after(header, _UPDATE):
            return self._update(path)
        raise self._invalid(
            f"{header[:100]!r} is not {_ADD.strip()!r}, {_DELETE.strip()!r} or {_UPDATE.strip()!r} "
            "with a path."
        )

    def _added_lines(self) -> tuple[str, ...]:
        added: list[str] = []
        while (line := self._peek()) is not None and not line.lstrip().startswith("***"):
            self._at += 1
            if line[:1] not in {"", "+"}:
                raise self._invalid(f"each line of a new file begins with '+'; got {line[:100]!r}.")
            added.append(line[1:])
            if not line and not self._more_added():
                added.pop()
        return tuple(added)

    def _more_added(self) -> bool:
        """Whether a blank line is one of the file, rather than air before what follows."""
        rest = (line for line in self._lines[self._at :] if line)
        return next(rest, "").startswith("+")

    def _update(self, path: str) -> UpdateFile:
        header = self._first + self._at - 1
        move_to = _after((self._peek() or "").strip(), _MOVE)
        self._at += move_to is not None
        hunks: list[Hunk] = []
        while (line := self._peek()) is not None and not line.startswith("***"):
            if line.strip() or hunks == []:
                hunks.append(self._hunk())
            else:
                self._at += 1
        if not hunks and move_to is None:
            raise InvalidPatch(header, f"the update of {path!r} is empty.")
        return UpdateFile(path, tuple(hunks), move_to)

    def _hunk(self) -> Hunk:
        first = self._first + self._at
        contexts: list[str] = []
        while (line := self._peek() or "").startswith("@@"):
            self._at += 1
            if not _UNIFIED.fullmatch(line) and (context := line[2:].removeprefix(" ").rstrip()):
                contexts.append(context)
        lines = self._hunk_lines()
        if not lines:
            raise InvalidPatch(first, "this hunk has no lines.")
        at_end = (self._peek() or "").strip() == _END_OF_FILE
        self._at += at_end
        return Hunk(first, tuple(contexts), tuple(lines), at_end)

    def _hunk_lines(self) -> list[HunkLine]:
        lines: list[HunkLine] = []
        while (line := self._peek()) is not None and not line.startswith(("***", "@@")):
            self._at += 1
            match line[:1]:
                case "":
                    lines.append(HunkLine(" ", ""))
                case " " | "-" | "+" as sign:
                    lines.append(HunkLine(sign, line[1:]))
                case "\\":  # "No newline at end of file", as diff says it
                    pass
                case _:
                    raise self._invalid(
                        f"each line of a hunk begins with ' ', '-' or '+'; got {line[:100]!r}."
                    )
        return lines

    def _peek(self) -> str | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _invalid(self, problem: str) -> InvalidPatch:
        return InvalidPatch(self._first + self._at - 1, problem)


def _after(header: str, beginning: str) -> str | None:
    return header.removeprefix(beginning).strip() if header.startswith(beginning) else None
