"""Commands that would show the model a file which `.rooignore` keeps from it.

Only what a line plainly says is seen. A program that opens files of its own accord is stopped by a
sandbox, not by reading its command line.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from glob import has_magic, iglob
from itertools import islice, pairwise
from pathlib import Path

from roo_code.policy.shell.rough import commands_in
from roo_code.workspace.rooignore import refusal
from roo_code.workspace.workspace import Workspace

_READERS = {
    *("awk", "gawk", "mawk", "sed", "cut", "sort", "uniq", "paste", "join", "fold", "fmt", "pr"),
    *("cat", "tac", "rev", "nl", "bat", "batcat", "less", "more", "most", "head", "tail"),
    *("cp", "dd", "diff", "cmp", "comm", "sdiff", "jq", "yq", "zcat", "iconv"),
    *("get-content", "gc", "type", "select-string", "sls"),
    *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"),
    *("strings", "xxd", "hexdump", "hd", "od", "base64", "base32"),
}
_MOST_WORDS = 19
"""More words of a command `commands_in` does not give."""
_MOST_MATCHES = 2000


def refuse_reading_ignored(command: str, folder: Path, workspace: Workspace) -> None:
    """Raise NotAllowed if a command, run in `folder`, plainly reads an ignored file."""
    if not workspace.rooignore.exists():
        return
    for word in _words_read(command):
        for path in _paths(word, folder):
            if workspace.rooignore.hides_file(path):
                raise refusal(word)


def _words_read(command: str) -> Iterator[str]:
    tokens = _tokens(command)
    yield from _redirected(tokens)
    for name, *words in commands_in(command):
        if name.casefold() in _READERS:
            yield from words
            yield from tokens if len(words) >= _MOST_WORDS else ()


def _tokens(command: str) -> Sequence[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # a quote that is never closed
        return command.split()


def _redirected(tokens: Sequence[str]) -> Iterable[str]:
    pairs = pairwise(tokens)
    return (word for sign, word in pairs if sign.startswith(("<", "(<", "$(<")))


def _paths(word: str, folder: Path) -> Iterator[Path]:
    """The files that a word may name: as it is, after an equals sign, and what a glob matches."""
    names = {word, word.partition("=")[2]} - {"", "-"}
    for name in names:
        path = Path(name).expanduser() if name.startswith("~/") else Path(name)
        yield folder / path
        if has_magic(name):
            matches = iglob(str(path), root_dir=folder)  # noqa: PTH207 - lazily, of any path
            yield from (folder / match for match in islice(matches, _MOST_MATCHES))
