"""Text on its way from a page into lines: paragraphs, lists, quotes and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SPACES = re.compile(r"\s+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters, and those that can show one text and hide another."""
_DEEPEST = 12
"""Lists and quotes further in are written no further in."""


class PageLines:
    def __init__(self) -> None:
        self._done: list[str] = []
        self._line = ""
        self._prefix = ""
        self._lists: list[int | None] = []
        """Those that are open, with the number of the last item; None for one without numbers."""
        self._quotes = 0
        self._in_code = False
        self._ticks = 0

    @property
    def is_empty(self) -> bool:
        return not self._done and not self._line.strip()

    @property
    def place(self) -> int:
        """Where the next text will stand in the line."""
        return len(self._line)

    def finished(self) -> Iterator[str]:
        """All lines, with never two empty ones together; code is left as it is."""
        self.close_code()
        self.break_line()
        yield from self._done

    def write(self, text: str) -> None:
        text = _INVISIBLE.sub("", text.replace("\r\n", "\n"))
        if self._in_code:
            self._line += text
            return
        text = _SPACES.sub(" ", text)
        if not self._line or self._line.endswith(" "):
            text = text.lstrip()
        self._line += text

    def break_line(self, *, apart: bool = False) -> None:
        """End the line; with `apart`, an empty one follows."""
        if self._in_code:
            self._line += "\n"
            return
        if self._is_in_cell:
            self.write(" ")
            return
        text, self._line = self._line.strip(), ""
        if text:
            self._put(self._prefix + text)
            self._prefix = ""
        if apart:
            self._prefix = ""
            self._put_gap()

    def rule(self) -> None:
        self.break_line(apart=True)
        if not self._is_in_cell:
            self._put("---")

    def link(self, start: int, target: str) -> None:
        """Make a link of what was written since `start`, if that is in the same line."""
        text = self._line[start:].strip()
        if self._in_code or not text or start > len(self._line):
            return
        self._line = f"{self._line[:start]}[{text}]({target})"

    def open_tick(self) -> None:
        """The mark before code in a line."""
        if not self._in_code:
            self._line += "`"
            self._ticks += 1

    def close_tick(self) -> None:
        if not self._in_code and self._ticks:
            self._line = self._line.rstrip() + "`"
            self._ticks -= 1

    def open_heading(self, *, level: int) -> None:
        self.break_line(apart=True)
        self._prefix = "#" * level + " "

    def open_list(self, *, ordered: bool) -> None:
        self.break_line(apart=not self._lists)
        self._lists.append(0 if ordered else None)

    def open_item(self) -> None:
        self.break_line()
        indent = "  " * (min(len(self._lists), _DEEPEST) - 1)
        mark = "-"
        if self._lists and (number := self._lists[-1]) is not None:
            self._lists[-1] = number + 1
            mark = f"{number + 1}."
        self._prefix = f"{indent}{mark} "

    def close_list(self) -> None:
        self.break_line()
        self._prefix = ""
        if self._lists:
            self._lists.pop()
        if not self._lists:
            self.break_line(apart=True)

    def open_quote(self) -> None:
        self.break_line(apart=True)
        self._quotes += 1

    def close_quote(self) -> None:
        self.break_line()
        if self._quotes and self._done and not self._done[-1].strip("> "):
            self._done.pop()
        self._quotes = max(0, self._quotes - 1)
        self.break_line(apart=True)

    def open_code(self) -> None:
        if self._in_code:
            return
        self.break_line(apart=True)
        self._in_code = True

    def close_code(self) -> None:
        if not self._in_code:
            return
        self._in_code = False
        code, self._line = self._line.strip("\n"), ""
        fence = "````" if "```" in code else "```"
        for line in (fence, *code.expandtabs(4).split("\n"), fence) if code.strip() else ():
            self._put(line.rstrip())
        self._put_gap()

    @property
    def _is_in_cell(self) -> bool:
        """Whether the text goes to a cell of a table, which has one line."""
        return False

    def _put(self, line: str) -> None:
        self._done.append("> " * min(self._quotes, _DEEPEST) + line)

    def _put_gap(self) -> None:
        if self._done and self._done[-1].strip("> ") and not self._is_in_cell:
            self._put("")
