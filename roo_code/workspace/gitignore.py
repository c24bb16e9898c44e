"""What git ignores, worked out folder by folder on the way down."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from roo_code.workspace.ignore_patterns import IgnorePatterns

_LARGEST = 1 << 20


class _Rules(NamedTuple):
    depth: int
    """How many parts of a path lead to the folder that the patterns stand in."""
    patterns: IgnorePatterns


class GitIgnore(NamedTuple):
    """The rules that hold in one folder. Outside a repository there are none, as with `rg`."""

    rules: tuple[_Rules, ...] = ()
    """The nearest last; it has the last word."""
    in_repository: bool = False

    @classmethod
    def above(cls, folder: Path) -> GitIgnore:
        """The rules that a folder inherits from those above it, not its own."""
        chain = list(folder.parents)
        repository = next((place for place in chain if (place / ".git").exists()), None)
        if repository is None:
            return cls()
        inherited = cls()
        for place in reversed(chain[: chain.index(repository) + 1]):
            inherited = inherited.within(place)
        return inherited

    def within(self, folder: Path) -> GitIgnore:
        """The rules that hold in a folder below, with those that it brings itself."""
        depth = len(folder.parts)
        if (folder / ".git").exists():
            outer = [*_global_files(), folder / ".git" / "info" / "exclude"]
            found = [_Rules(depth, patterns) for file in outer for patterns in _read(file)]
            base = GitIgnore(tuple(found), in_repository=True)
        else:
            base = self
        if not base.in_repository:
            return base
        own = [_Rules(depth, patterns) for patterns in _read(folder / ".gitignore")]
        return GitIgnore((*base.rules, *own), in_repository=True) if own else base

    def ignore(self, path: Path, *, folder: bool) -> bool:
        """Whether the entry is ignored, if the folder that it stands in is not."""
        parts = path.parts
        for rules in reversed(self.rules):
            verdict = rules.patterns.verdict(parts[rules.depth :], folder=folder)
            if verdict is not None:
                return verdict
        return False


def _read(file: Path) -> Iterator[IgnorePatterns]:
    try:
        # Not blocking: a named pipe of this name would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as opened:
        try:
            text = opened.read(_LARGEST).decode("utf-8", "replace")
        except OSError:
            return
    yield IgnorePatterns(text)


def _global_files() -> Iterator[Path]:
    """The user's own list, where git looks for it unless told otherwise."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    yield Path(config) / "git" / "ignore"
