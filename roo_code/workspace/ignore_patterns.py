"""Patterns as `.gitignore` has them.

Not by a library: the one at hand lets a file back in whose folder is shut out, and its expressions
take hours on names that a hostile project chooses. Each part of a path is matched for itself here,
in time that grows with its length only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache
from typing import NamedTuple

_ANY_FOLDERS = "**"
_CLASSES = {
    "[:alnum:]": "a-zA-Z0-9",
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\v\f",
    "[:upper:]": "A-Z",
    "[:xdigit:]": "0-9a-fA-F",
}
_BRACKET = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|\\.|[^]\\])*\]", re.DOTALL)
_PIECE = re.compile(rf"\\.|{_BRACKET.pattern}|.", re.DOTALL)


class _Pattern(NamedTuple):
    parts: tuple[str, ...]
    """Of the path, as expressions; `**` stands for any folders."""
    keeps: bool
    folders_only: bool


class IgnorePatterns:
    """The lines of one file. The last that matches decides."""

    def __init__(self, text: str, *, strict: bool = False) -> None:
        """With `strict`, a line that can match nothing is a ValueError; else it matches nothing."""
        self._patterns: list[_Pattern] = []
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            try:
                pattern = _pattern(line)
            except ValueError as error:
                if strict:
                    raise ValueError(
                        f"line {number}, {line!r}, is not a pattern: {error}"
                    ) from error
                continue
            if pattern is not None:
                self._patterns.append(pattern)
        self._patterns.reverse()

    def verdict(self, parts: Sequence[str], *, folder: bool) -> bool | None:
        """True if the path itself is ignored, False if it is kept, None if no line names it."""
        for pattern in self._patterns:
            if (folder or not pattern.folders_only) and _matches(pattern.parts, parts):
                return not pattern.keeps
        return None

    def ignore(self, parts: Sequence[str], *, folder: bool = False) -> bool:
        """Whether the path is ignored, or a folder above it: nothing comes back from there."""
        return any(
            self.verdict(parts[:end], folder=folder or end < len(parts))
            for end in range(1, len(parts) + 1)
        )


def _pattern(line: str) -> _Pattern | None:
    if line.startswith("#"):
        return None
    line = _without_spaces_at_the_end(line)
    keeps = line.startswith("!")
    line = line[keeps:]
    folders_only = line.endswith("/")
    parts = line.removesuffix("/").split("/")
    if parts == [""]:
        if keeps:
            raise ValueError("nothing follows the exclamation mark")
        return None
    if len(parts) == 1:
        parts = [_ANY_FOLDERS, *parts]
    elif not parts[0]:
        del parts[0]
    expressions = tuple(part if part == _ANY_FOLDERS else _expression(part) for part in parts)
    return _Pattern(expressions, keeps, folders_only)


def _without_spaces_at_the_end(line: str) -> str:
    bare = line.rstrip(" \t")
    return bare + " " if bare.endswith("\\") and bare != line else bare


def _expression(part: str) -> str:
    """One part of a path as a regular expression."""
    pieces: list[str] = _PIECE.findall(part)
    return translate("".join(map(_for_fnmatch, pieces)))


def _for_fnmatch(piece: str) -> str:
    if piece == "\\":
        raise ValueError("nothing follows the backslash")
    if piece == "[":
        raise ValueError("the bracket is not closed")
    if piece.startswith("\\"):
        return f"[{piece[1]}]" if piece[1] in "*?[" else piece[1]
    return _bracket(piece) if piece.startswith("[") else piece


def _bracket(piece: str) -> str:
    negated = piece[1] in "!^"
    members = piece[1 + negated : -1]
    for name, listed in _CLASSES.items():
        members = members.replace(name, listed)
    if "\\]" in members:
        members = "]" + members.replace("\\]", "")  # there it needs no backslash
    members = re.sub(r"\\(.)", r"\1", members, flags=re.DOTALL)
    return f"[{'!' if negated else ''}{members}]"


@cache
def _matcher(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Part by part; on a mismatch only the last `**` need take one folder more."""
    at = here = 0
    retry: tuple[int, int] | None = None
    while here < len(path):
        if at < len(pattern) and pattern[at] == _ANY_FOLDERS:
            if at + 1 == len(pattern):
                return True
            at += 1
            retry = (at, here)
        elif at < len(pattern) and _matcher(pattern[at]).match(path[here]):
            at, here = at + 1, here + 1
        elif retry is not None:
            at, here = retry[0], retry[1] + 1
            retry = (at, here)
        else:
            return False
    return at == len(pattern)
