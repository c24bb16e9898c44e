"""One word of a line, read again character by character.

The grammar says where a word is and what it expands; this scanner checks that and takes off the
quotes. Where the two disagree the line is unreadable: bash follows neither, and we trust only what
both see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from roo_code.policy.shell.values import Word

_META = frozenset(" \t\n;&|<>()")
_LONE_DOLLAR = frozenset(' "|)/,.\\\n')
"""What may follow a dollar sign that is only a dollar sign, inside double quotes."""
_ANSI = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ANSI_LETTERS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


class Misread(Exception):
    """The grammar's idea of a word is not bash's."""


class WordScanner:
    """Reads one word; `expansions` are the places that only the shell can fill."""

    def __init__(self, source: str, expansions: Mapping[int, tuple[int, str]]) -> None:
        self._source = source
        self._expansions = expansions
        """Where each begins: its end, and the name of its variable if it is one."""
        self._text: list[str] = []
        self._bare: list[str] = []
        """The same without what was quoted: where braces and globs have a meaning."""
        self._lead: str | None = None
        self._open = False
        self._variables: list[str] = []

    def read(self) -> Word:
        position = 0
        while position < len(self._source):
            position = self._step(position)
        bare = "".join(self._bare)
        tilde = bare.startswith("~")
        if "{" in bare and ("," in bare or ".." in bare):
            self._leave_open(bare.partition("{")[0] if self._lead is None else self._lead)
        if tilde or bare.startswith("="):  # zsh puts a program's path for =name
            self._leave_open("~" if tilde else "")
        text = "".join(self._text)
        lead = text if self._lead is None else self._lead
        return Word(self._source, None if self._open else text, lead, tuple(self._variables), tilde)

    def _step(self, position: int) -> int:
        character = self._source[position]
        if position in self._expansions:
            return self._expand(position, quoted=False)
        if character == "'":
            return self._single(position)
        if character == '"':
            return self._double(position + 1)
        if character == "\\":
            return self._escape(position)
        if self._source.startswith("$'", position):
            return self._ansi(position)
        if character in _META or character in "`$":
            raise Misread(f"{character!r} in {self._source!r}")
        if character in "*?[":
            self._leave_open("".join(self._text))
        self._put(character, bare=True)
        return position + 1

    def _put(self, text: str, *, bare: bool = False) -> None:
        self._text.append(text)
        self._bare.append(text if bare else "\x00" * len(text))

    def _leave_open(self, lead: str) -> None:
        self._open = True
        if self._lead is None or len(lead) < len(self._lead):
            self._lead = lead

    def _expand(self, position: int, *, quoted: bool) -> int:
        end, variable = self._expansions[position]
        # Unquoted it may become several words, of which only the first begins as this one does.
        self._leave_open("".join(self._text) if quoted else "")
        if variable:
            self._variables.append(variable)
        return end

    def _single(self, position: int) -> int:
        end = self._source.find("'", position + 1)
        if end < 0:
            raise Misread("a quote is never closed")
        self._put(self._source[position + 1 : end])
        return end + 1

    def _escape(self, position: int) -> int:
        escaped = self._source[position + 1 : position + 2]
        if not escaped:
            raise Misread("a backslash at the end")
        if escaped != "\n":
            self._put(escaped)
        return position + 2

    def _ansi(self, position: int) -> int:
        match = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self._source, position)
        if not match:
            raise Misread("a quote is never closed")
        self._put(_ANSI.sub(_ansi_character, match[1]))
        return match.end()

    def _double(self, position: int) -> int:
        while position < len(self._source):
            character = self._source[position]
            following = self._source[position + 1 : position + 2]
            if position in self._expansions:
                position = self._expand(position, quoted=True)
            elif character == '"':
                self._put("")
                return position + 1
            elif character == "\\" and following in set('$`"\\\n'):
                self._put(following.replace("\n", ""))
                position += 2
            elif character == "`" or (character == "$" and following not in _LONE_DOLLAR):
                raise Misread(f"{character!r} in {self._source!r}")
            else:
                self._put(character)
                position += 1
        raise Misread("a quote is never closed")


def _ansi_character(match: re.Match[str]) -> str:
    short, four, eight, octal, letter = match.groups()
    if code := short or four or eight:
        number = int(code, 16)
    elif octal:
        number = int(octal, 8) & 0xFF
    elif letter in _ANSI_LETTERS:
        return _ANSI_LETTERS[letter]
    else:
        raise Misread(f"\\{letter} in $'…'")
    if number == 0 or number > 0x7F:  # bytes of a character that is none, or the end of the word
        raise Misread("a coded character")
    return chr(number)


def check_here_document(body: str, expansions: Mapping[int, tuple[int, str]]) -> None:
    """Raise Misread if bash would expand more in the body than the grammar sees."""
    position = 0
    while position < len(body):
        if position in expansions:
            position = expansions[position][0]
        elif body[position] == "\\":
            position += 2
        elif body[position] == "`":
            raise Misread("a substitution in a here-document")
        elif body[position] == "$" and body[position + 1 : position + 2] not in {*_LONE_DOLLAR, ""}:
            raise Misread("an expansion in a here-document")
        else:
            position += 1
