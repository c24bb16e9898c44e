"""Commands by allow and deny list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from roo_code.policy.shell_pieces import commands_in, plain_words

Judgement: TypeAlias = Literal["allow", "deny", "ask"]


def judge(line: str, allowed: Iterable[str], denied: Iterable[str]) -> Judgement:
    """What the lists say of a command line.

    An entry matches whole words from the start, `*` matches everything, the longer match wins
    and on a tie the deny list does. Only a plain command can be allowed by name; any line is
    denied for one denied command in it.
    """
    allow_list, deny_list = _entries(allowed), _entries(denied)
    for words in commands_in(line):
        lowered = [word.casefold() for word in words]
        forbidden = _longest_match(lowered, [[w.casefold() for w in entry] for entry in deny_list])
        if forbidden and forbidden >= _longest_match(words, allow_list):
            return "deny"
    if ["*"] in allow_list:
        return "allow"
    words = plain_words(line)
    return "allow" if words and _longest_match(words, allow_list) else "ask"


def _entries(entries: Iterable[str]) -> list[list[str]]:
    return [words for entry in entries if (words := entry.split())]


def _longest_match(words: Sequence[str], entries: Iterable[Sequence[str]]) -> float:
    """How many words the longest matching entry has; `*` counts less than any word."""
    return max((_match(words, entry) for entry in entries), default=0)


def _match(words: Sequence[str], entry: Sequence[str]) -> float:
    if list(entry) == ["*"]:
        return 0.5
    return len(entry) if list(words[: len(entry)]) == list(entry) else 0
