"""Mentions in a text: `@` and `/` at the start of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

MentionKind: TypeAlias = Literal[
    "path", "url", "commit", "git-changes", "terminal", "problems", "command"
]

_AT = re.compile(r"(?<!\S)@(?P<token>(?:\\ |\S)+)")
"""A blank in a path is written with a backslash before it."""
_COMMAND = re.compile(r"(?<!\S)/(?P<name>[A-Za-z0-9_.-]+)(?!\S)")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_PUNCTUATION = ".,;:!?"


class Mention(NamedTuple):
    kind: MentionKind
    value: str
    """The path from the workspace, the address, the hash or the command's name."""
    written: str
    """As the user wrote it."""


def find_mentions(texts: Iterable[str]) -> list[Mention]:
    """Each thing once, in the order of the texts; punctuation after it is not part of it."""
    found: dict[tuple[MentionKind, str], Mention] = {}
    for text in texts:
        places = [(match.start(), _classify(match["token"])) for match in _AT.finditer(text)]
        places += [
            (match.start(), Mention("command", match["name"], match[0]))
            for match in _COMMAND.finditer(text)
        ]
        for _, mention in sorted(places, key=lambda place: place[0]):
            if mention is not None:
                found.setdefault((mention.kind, mention.value), mention)
    return list(found.values())


def _classify(token: str) -> Mention | None:
    bare = token.rstrip(_PUNCTUATION)
    written = f"@{bare}"
    if bare.startswith("/"):
        path = bare.strip("/").replace("\\ ", " ")
        return Mention("path", path or ".", written)
    if _URL.fullmatch(bare):
        return Mention("url", bare, written)
    if bare == "git-changes" or bare == "terminal" or bare == "problems":
        return Mention(bare, "", written)
    return Mention("commit", bare, written) if _COMMIT.fullmatch(bare) else None
