"""A shell line taken apart, roughly: enough to find a forbidden command, not to trust one.

For lines that the grammar cannot read. `commands_in` gives more than the shell would see rather
than less: whatever stands after an operator or in a substitution counts as a command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_TOKEN = re.compile(r"\\.|[$<>]\(|[<>]&|&>|>>|<<<?|.", re.DOTALL)
_REDIRECTIONS = {"<", ">", "<&", ">&", "&>", ">>", "<<", "<<<"}

_SHELLS = {"bash", "dash", "eval", "ksh", "sh", "source", "zsh"}
_BEFORE_A_COMMAND = {
    "!",
    "builtin",
    "command",
    "coproc",
    "do",
    "doas",
    "elif",
    "else",
    "env",
    "exec",
    "find",
    "if",
    "ionice",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "sudo",
    "then",
    "time",
    "timeout",
    "until",
    "watch",
    "while",
    "xargs",
    "{",
}
_LONGEST_ENTRY = 20
_DEEPEST = 5


def commands_in(line: str, depth: int = 0) -> Iterator[list[str]]:
    """The first words of every command that may hide in a line.

    Wrappers such as sudo are seen through, and the folder of a program is left off.
    """
    for piece in _Cutter().cut(line):
        words = _from_command(_words(piece))
        # What a wrapper takes before its command may be anything, as in `timeout -s KILL 5 rm`.
        wrapped = bool(words) and _name(words[0]) in _BEFORE_A_COMMAND
        for start in range(len(words) if wrapped else min(1, len(words))):
            name = _name(words[start])
            yield [name, *words[start + 1 : start + _LONGEST_ENTRY]]
            if name in _SHELLS and depth < _DEEPEST:
                for word in words[start + 1 :]:
                    yield from commands_in(word, depth + 1)


def _from_command(words: list[str]) -> list[str]:
    """The words without assignments and redirections in front of the command."""
    start = 0
    while start < len(words):
        if words[start] in _REDIRECTIONS:
            start += 2
        elif words[start].isdecimal() and {*words[start + 1 : start + 2]} & _REDIRECTIONS:
            start += 3
        elif _ASSIGNMENT.match(words[start]):
            start += 1
        else:
            break
    return words[start:]


def _name(word: str) -> str:
    return PurePosixPath(word).name or word


def _words(piece: str) -> list[str]:
    piece = re.sub(r"\$(?=['\"])", "", re.sub(r"\$IFS\b|\$\{IFS\}", " ", piece))
    try:
        return shlex.split(piece)
    except ValueError:  # a quote that the cutting left open
        return re.sub(r"[\"'\\]", "", piece).split()


class _Cutter:
    """Cuts a line at operators, and at both ends of substitutions even inside double quotes."""

    def __init__(self) -> None:
        self._openers = [""]
        self._quotes = [""]
        """The open quote on each level of substitution."""

    def cut(self, line: str) -> Iterator[str]:
        piece: list[str] = []
        for token in _TOKEN.findall(line.replace("\\\n", "")):
            if self._cuts(token):
                yield "".join(piece)
                piece.clear()
            else:
                bare = token in _REDIRECTIONS and not self._quotes[-1]
                piece.append(f" {token} " if bare else token)
        yield "".join(piece)

    def _cuts(self, token: str) -> bool:
        quote = self._quotes[-1]
        if quote == "'":
            self._quotes[-1] = "" if token == "'" else quote
            return False
        if token == "`" and "`" in self._openers:
            return self._leave("`")
        if token == "`" or (token[-1] == "(" and (len(token) == 2 or not quote)):
            self._openers.append(token[-1])
            self._quotes.append("")
            return True
        if quote:
            self._quotes[-1] = "" if token == quote else quote
            return False
        if token == ")" and "(" in self._openers:
            return self._leave("(")
        self._quotes[-1] = token if token in {"'", '"'} else ""
        return token in {";", "|", "&", "\n", "\r", ")"}

    def _leave(self, opener: str) -> bool:
        while self._openers.pop() != opener:
            self._quotes.pop()
        self._quotes.pop()
        return True
