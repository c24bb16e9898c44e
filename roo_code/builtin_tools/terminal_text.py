"""What a terminal would show in the end: progress bars at their last state, no control codes."""

from __future__ import annotations

import re

_LONGEST_LINE = 1 << 12
"""A line longer than this is given out as it is: nobody redraws such a line."""
_LONGEST_SEQUENCE = 1 << 12
_LAST_COLUMN = 1000

_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TOKEN = re.compile(
    r"""
      (?P<text>[^\x00-\x08\x0b-\x1f\x7f]+)
    | \x1b\[(?P<arguments>[0-?]*)[ -/]*(?P<command>[@-~])    # control sequence
    | \x1b[\]PX^_].*?(?:\x07|\x1b\\)                         # title, hyperlink and the like
    | \x1b[ -/]*[0-OQ-WYZ\\`-~]                              # short escape
    | (?P<control>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z")


class TerminalText:
    """Fed with output piece by piece, it gives out lines once nothing can change them."""

    def __init__(self) -> None:
        self.line = ""
        """The last line as it stands; more output may still change it."""
        self._column: int = 0
        self._held = ""

    def feed(self, text: str) -> str:
        """Take output; return the text that is final now."""
        text = self._held + text
        self._held = ""
        if cut := _UNFINISHED.search(text, max(0, len(text) - _LONGEST_SEQUENCE)):
            text, self._held = text[: cut.start()], text[cut.start() :]
        final = self._feed_plain(text) if not _SPECIAL.search(text) else self._feed(text)
        return final + self._take_line() if len(self.line) > _LONGEST_LINE else final

    def finish(self) -> str:
        """What is left when the output has ended."""
        self._held = ""
        return self._take_line()

    def _feed(self, text: str) -> str:
        *lines, rest = text.split("\n")
        final: list[str] = []
        for line in lines:
            self._write(line)
            final.append(self._take_line())
        self._write(rest)
        return "".join(f"{line}\n" for line in final)

    def _feed_plain(self, text: str) -> str:
        """The same for text without control characters, which is most, many times as fast."""
        first, newline, others = text.partition("\n")
        self._put(first)
        if not newline:
            return ""
        whole, newline, rest = others.rpartition("\n")
        final = f"{self._take_line()}\n{whole}{newline}"
        self._put(rest)
        return final

    def _take_line(self) -> str:
        line = self.line
        self.line = ""
        self._column = 0
        return line

    def _write(self, text: str) -> None:
        if not _SPECIAL.search(text):
            self._put(text)
            return
        for token in _TOKEN.finditer(text):
            if token["text"]:
                self._put(token["text"])
            elif token["command"]:
                self._obey(token["command"], token["arguments"])
            elif token["control"] == "\r":
                self._column = 0
            elif token["control"] == "\b":
                self._column = max(0, self._column - 1)

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._column == len(self.line):
            self.line += text
        else:
            before = self.line[: self._column].ljust(self._column)
            self.line = before + text + self.line[self._column + len(text) :]
        self._column += len(text)

    def _obey(self, command: str, arguments: str) -> None:
        """The sequences by which a line is drawn again; colours and the like mean nothing here."""
        number = int(arguments) if arguments.isdecimal() else 0
        if command == "K":
            if number == 2:
                self.line = ""
            elif number == 0:
                self.line = self.line[: self._column]
        elif command == "G":
            self._column = min(max(number, 1) - 1, _LAST_COLUMN)
        elif command == "D":
            self._column = max(0, self._column - max(number, 1))
        elif command == "C":
            self._column = min(self._column + max(number, 1), _LAST_COLUMN)
