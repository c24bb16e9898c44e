"""The entries of a folder, level by level, so that a limit cuts off what lies deepest."""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from roo_code.workspace.gitignore import GitIgnore
from roo_code.workspace.opening import folder_of

_NOT_OPENED = frozenset(
    {
        *("node_modules", "__pycache__", "env", "venv", "dist", "out", "bundle", "vendor"),
        *("tmp", "temp", "deps", "pkg", "Pods"),
    }
)
_NOT_OPENED_BELOW = frozenset({("target", "dependency"), ("build", "dependencies")})
_NEVER_OPENED = frozenset({"node_modules", ".git", "__pycache__", "venv", "env"})
"""Not even in a hidden folder that was asked for by name."""

_DIGITS = re.compile(r"\d+")


class Entry(NamedTuple):
    parts: tuple[str, ...]
    """From the folder that is listed."""
    folder: bool = False
    link: bool = False
    locked: bool = False
    """Kept from the agent, and shown only by name."""


class Listing(NamedTuple):
    entries: list[Entry]
    cut: bool = False
    """Whether there are more than the limit."""
    stopped: bool = False
    """Whether the time was up before all was seen."""


class Walk(NamedTuple):
    """How to list one folder."""

    home: Path
    """The real folder that `start` lies in; every step goes down from there without links."""
    start: Path
    limit: int
    patience: float
    cancelled: threading.Event
    locks: Callable[[Entry], bool]
    recursive: bool = False
    show_locked: bool = False

    def list(self) -> Listing:
        """Blocks; meant for a thread, which `cancelled` ends."""
        deadline = time.monotonic() + self.patience
        asked = _is_shut(self.start.relative_to(self.home).parts)
        entries: list[Entry] = []
        level = [((), GitIgnore() if asked else GitIgnore.above(self.start))]
        while level:
            found: list[Entry] = []
            below: list[tuple[tuple[str, ...], GitIgnore]] = []
            for parts, above in level:
                if self.cancelled.is_set() or time.monotonic() > deadline:
                    return Listing(entries + _cut(found, self.limit - len(entries)), stopped=True)
                rules = above if asked else above.within(self.start.joinpath(*parts))
                for entry in self._shown(parts, rules):
                    found.append(entry)
                    if len(entries) + len(found) > self.limit:
                        return Listing(entries + _cut(found, self.limit - len(entries)), cut=True)
                    if self.recursive and _is_opened(entry, asked):
                        below.append((entry.parts, rules))
            entries += found
            level = below
        return Listing(entries)

    def _shown(self, parts: tuple[str, ...], rules: GitIgnore) -> Iterator[Entry]:
        """What is shown of one folder: its folders, then its files."""
        for entry in self._entries(parts):
            path = self.start.joinpath(*entry.parts)
            if rules.ignore(path, folder=entry.folder and not entry.link):
                continue
            if not self.locks(entry):
                yield entry
            elif self.show_locked:
                yield entry._replace(locked=True)

    def _entries(self, parts: tuple[str, ...]) -> list[Entry]:
        inside = self.start.joinpath(*parts, "_")
        try:
            with folder_of(self.home, inside) as descriptor, os.scandir(descriptor) as found:
                entries = [_entry(parts, item, descriptor) for item in found]
        except OSError:
            if not parts:
                raise
            return []  # it may not be read, or is gone
        return sorted(entries, key=lambda entry: (not entry.folder, natural(entry.parts[-1])))


def natural(name: str) -> str:
    """A form of the name that sorts `2` before `10`, and does not mind the case."""
    return _DIGITS.sub(lambda digits: digits[0].zfill(20), name.casefold())


def in_order(entry: Entry) -> tuple[tuple[bool, str, str], ...]:
    """The key by which files come before folders, and folders with what is in them."""
    *folders, name = entry.parts
    return (
        *((True, natural(folder), folder) for folder in folders),
        (entry.folder, natural(name), name),
    )


def _cut(found: list[Entry], room: int) -> list[Entry]:
    """Of the deepest level, folders rather than files: they say where there is more."""
    return sorted(found, key=lambda entry: not entry.folder)[:room]


def _entry(parts: tuple[str, ...], item: os.DirEntry[str], descriptor: int) -> Entry:
    path = (*parts, item.name)
    if not item.is_symlink():
        return Entry(path, folder=item.is_dir(follow_symlinks=False))
    try:
        mode = os.stat(item.name, dir_fd=descriptor).st_mode
    except OSError:
        return Entry(path, link=True)
    return Entry(path, folder=stat.S_ISDIR(mode), link=True)


def _is_shut(parts: tuple[str, ...]) -> bool:
    """Whether a path leads into a folder that is not opened of itself: then it is meant."""
    return any(part.startswith(".") or part in _NOT_OPENED for part in parts)


def _is_opened(entry: Entry, asked: bool) -> bool:
    if not entry.folder or entry.link or entry.locked:
        return False
    if asked:
        return entry.parts[-1] not in _NEVER_OPENED
    return not _is_shut(entry.parts[-1:]) and entry.parts[-2:] not in _NOT_OPENED_BELOW
