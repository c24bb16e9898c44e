"""New lines, indented as in the file where the model took its indentation for another."""

from __future__ import annotations

from collections.abc import Sequence


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


class Reindenter:
    """Knows what the model wrote for lines that are in the file, and so what it means by it."""

    def __init__(self, written: Sequence[str], found: Sequence[str]) -> None:
        pairs = [
            (indentation(line), indentation(there))
            for line, there in zip(written, found, strict=True)
            if line.strip()
        ]
        self._known: dict[str, str] = {}
        for meant, there in pairs:
            self._known.setdefault(meant, there)
        self._first = pairs[0] if pairs else ("", "")
        self._tab_width = _tab_width(pairs)

    def __call__(self, line: str) -> str:
        indent = indentation(line)
        if not line.strip():
            return line
        return self._translated(indent) + line[len(indent) :]

    def _translated(self, indent: str) -> str:
        if indent in self._known:
            return self._known[indent]
        meant, there = self._first
        if indent.startswith(meant):
            return there + self._as_tabs(indent[len(meant) :])
        if len(indent) < len(meant):
            surplus = self._as_tabs(meant[len(indent) :])
            return there[: max(0, len(there) - len(surplus))]
        return indent

    def _as_tabs(self, blanks: str) -> str:
        if not self._tab_width or blanks.strip(" "):
            return blanks
        tabs, rest = divmod(len(blanks), self._tab_width)
        return "\t" * tabs + " " * rest


def _tab_width(pairs: Sequence[tuple[str, str]]) -> int:
    """How many blanks the model writes for a tab of the file; 0 if it does not."""
    for meant, there in pairs:
        if meant and there and not meant.strip(" ") and not there.strip("\t"):
            width, rest = divmod(len(meant), len(there))
            return 0 if rest else width
    return 0
