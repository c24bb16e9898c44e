"""Allow and deny lists: entries match whole words from the start, and the longest decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from roo_code.policy.shell.profile_git import without_global_options
from roo_code.policy.shell.rough import commands_in
from roo_code.policy.shell.values import Command, Word

EVERYTHING = "*"


def longest(entries: Iterable[str], words: Sequence[str | None]) -> str:
    """The entry with the most words that the command begins with; `*` is less than any word."""
    best, most = "", 0.0
    for entry in entries:
        parts = entry.split()
        if parts == [EVERYTHING]:
            length = 0.5
        elif parts and list(words[: len(parts)]) == parts:
            length = float(len(parts))
        else:
            continue
        if length > most:
            best, most = entry, length
    return best


def weight(entry: str) -> float:
    """How much an entry counts against another."""
    return 0.5 if entry.strip() == EVERYTHING else float(len(entry.split()))


def denying(denied: Iterable[str], command: Command) -> str:
    """The entry that denies a command: whatever its folder, the case of letters, git's options."""
    forms = [command.words]
    name = PurePosixPath(command.name or "").name or command.name or ""
    if name.lower() == "git":
        forms.append(without_global_options(command.words))
    entries = {entry.casefold(): entry for entry in denied}
    found = [
        longest(entries, [name.casefold(), *map(_folded, words[1:])])
        for words in forms
    ]  # fmt: skip
    best = max(found, key=weight)
    return entries.get(best, "")


def _folded(word: Word) -> str | None:
    return None if word.text is None else word.text.casefold()


def denying_roughly(denied: Sequence[str], line: str) -> str:
    """The entry that denies something in a line that cannot be read with certainty."""
    entries = {entry.casefold(): entry for entry in denied if entry.strip() != EVERYTHING}
    for words in commands_in(line):
        if found := longest(entries, [word.casefold() for word in words]):
            return entries[found]
    return ""
