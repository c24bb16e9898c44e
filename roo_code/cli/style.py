"""How text may look where it is shown: a terminal, with colours or without, or a pipe."""

from __future__ import annotations

import os
import re
import shutil
from typing import TextIO

from msgspec import Struct

_ESCAPES = re.compile(r"\x1b\[[0-9;:]*m")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move the cursor, hide or reorder text, or talk to the terminal itself."""


class Style(Struct, frozen=True):
    terminal: bool = False
    colour: bool = False
    width: int = 80

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """What the stream can show, as the environment says."""
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        colour = terminal and not os.environ.get("NO_COLOR")
        return cls(terminal, colour, shutil.get_terminal_size().columns if terminal else 80)

    def dim(self, text: str) -> str:
        return self._coloured(text, "2")

    def bold(self, text: str) -> str:
        return self._coloured(text, "1")

    def good(self, text: str) -> str:
        return self._coloured(text, "32")

    def bad(self, text: str) -> str:
        return self._coloured(text, "31")

    def ask(self, text: str) -> str:
        return self._coloured(text, "33")

    def clean(self, text: str) -> str:
        """Text from a model or a tool, which must not be able to steer a terminal.

        A pipe gets it as it is.
        """
        if not self.terminal:
            return text
        text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
        return _UNSEEN.sub(lambda found: f"\\x{ord(found[0]):02x}", text)

    def cut(self, text: str, taken: int = 0, lines: int = 1) -> str:
        """What fits into so many lines beside what else is there; a pipe has room for more."""
        room = max(20, self.width * lines - taken) if self.terminal else 500
        line = " ".join(self.clean(text).split())
        return line if len(line) <= room else line[: room - 1] + "…"

    def _coloured(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text
