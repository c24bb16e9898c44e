"""What a terminal would show in the end: progress bars at their last state, no control codes."""

from __future__ import annotations

import re

from roo_code.builtin_tools.terminal_screen import Screen

_LONGEST_LINE = 1 << 12
"""A line longer than this is given out as it is: nobody redraws such a line."""
_LONGEST_SEQUENCE = 1 << 12

_CONTROLS = ("\x1b", "\r", "\b", *map(chr, (*range(8), *range(0x0B, 0x20), 0x7F)))
_COLOUR = re.compile(r"\x1b\[[\d;:]*m")
_TOKEN = re.compile(
    r"""
      (?P<text>[^\x00-\x08\x0a-\x1f\x7f]+)
    | \x1b\[(?P<arguments>[0-?]*)[ -/]*(?P<command>[@-~])    # control sequence
    | \x1b[\]PX^_].*?(?:\x07|\x1b\\)                         # title, hyperlink and the like
    | \x1b[ -/]*(?P<short>[0-OQ-WYZ\\`-~])                   # short escape
    | (?P<control>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z")
_ALTERNATE_SCREEN = {"?47", "?1047", "?1049"}


class TerminalText:
    """Fed with output piece by piece, it gives out lines once they have left the screen."""

    def __init__(self) -> None:
        self._screen = Screen()
        self._covered: Screen | None = None
        """The screen below, while a program uses the other one, as editors do."""
        self._held = ""

    @property
    def pending(self) -> str:
        """What is still on the screen; more output may change it."""
        if self._covered is None:
            return self._screen.text
        return f"{self._covered.text}\n{self._screen.text}"

    def feed(self, text: str) -> str:
        """Take output; return the text that is final now."""
        text = self._held + text
        self._held = ""
        if cut := _UNFINISHED.search(text, max(0, len(text) - _LONGEST_SEQUENCE)):
            text, self._held = text[: cut.start()], text[cut.start() :]
        if not _is_plain(text):  # most output holds no more than these
            text = _COLOUR.sub("", text).replace("\r\n", "\n")
        if self._screen.at_end and self._covered is None and _is_plain(text):
            final = self._screen.append(text)
        else:
            final = "".join(self._obey(token) for token in _TOKEN.finditer(text))
        return final + self._take_all() if self._screen.length > _LONGEST_LINE else final

    def finish(self) -> str:
        """What is left when the output has ended."""
        return self._take_all()

    def _take_all(self) -> str:
        text = self.pending
        self._screen, self._covered, self._held = Screen(), None, ""
        return text

    def _obey(self, token: re.Match[str]) -> str:
        """Draw; return what leaves the screen."""
        screen = self._screen
        if token["text"]:
            screen.put(token["text"])
        elif command := token["command"]:
            if token["arguments"] in _ALTERNATE_SCREEN and command in "hl":
                self._switch(other=command == "h")
            else:
                screen.obey(command, token["arguments"])
        elif short := token["short"]:
            self._obey_short(short)
        elif token["control"] == "\n":
            left = screen.new_line()
            return left if self._covered is None else ""  # nothing is kept of the other screen
        elif token["control"] == "\r":
            screen.carriage_return()
        elif token["control"] == "\b":
            screen.backspace()
        return ""

    def _obey_short(self, short: str) -> None:
        if short == "7":
            self._screen.save()
        elif short == "8":
            self._screen.restore()
        elif short == "M":
            self._screen.obey("A", "")
        elif short == "c":
            self._screen.obey("H", "")
            self._screen.obey("J", "2")

    def _switch(self, *, other: bool) -> None:
        if other and self._covered is None:
            self._covered, self._screen = self._screen, Screen()
        elif not other and self._covered is not None:
            self._screen, self._covered = self._covered, None


def plain_line(line: str) -> str:
    """One line of output as a terminal would show it."""
    if _is_plain(line):
        return line
    screen = TerminalText()
    return (screen.feed(line) + screen.finish()).replace("\n", " ")


def _is_plain(text: str) -> bool:
    """Ten times as fast as a pattern, as each of these searches is one of memory."""
    return not any(control in text for control in _CONTROLS)
