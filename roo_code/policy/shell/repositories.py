"""Whether git, in some folder, would run more than git: programs that the repository names.

A folder that was unpacked, or that the model wrote, can be a repository whose settings name a file
monitor, a filter or a diff program, and whose hooks are scripts. Git finds repositories upwards
from where it stands, and takes any folder with `HEAD`, `objects` and `refs` for one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from roo_code.policy.shell.plain_files import plain_bytes
from roo_code.policy.shell.repository_settings import is_harmless, settings_in
from roo_code.policy.shell.submodules import submodules_in

_POINTER = "gitdir: "
_LARGEST = 1 << 16
_MOST_SUBMODULES = 50
_AT_ANY_TIME = frozenset({"post-index-change"})
"""Hooks that run although git only looks."""


def runs_besides_git(folder: Path, *, hooks: bool) -> str:
    """What of a repository would run if git were started there; empty if nothing would.

    `hooks` says whether those count that run when something is committed.
    """
    return _Repositories(hooks).found_from(folder)


class _Repositories:
    def __init__(self, hooks: bool) -> None:
        self._hooks = hooks
        self._seen: set[Path] = set()

    def found_from(self, folder: Path) -> str:
        """Why git from this folder is in doubt; the nearest repository is the one it takes."""
        for place in (folder, *folder.parents):
            if _is_repository(place) and place.name != ".git":
                return f"git takes {str(place)!r} for a repository, though it is no .git folder"
            if not os.path.lexists(place / ".git"):
                continue
            directory = _pointed_at(place / ".git")
            if directory is None:
                return f"{str(place / '.git')!r} is no repository that can be looked at"
            if why := self._runs(directory, place):
                return why
            if _is_repository(directory):
                return ""
        return ""

    def _runs(self, directory: Path, tree: Path) -> str:
        if directory in self._seen:
            return ""
        self._seen.add(directory)
        if len(self._seen) > _MOST_SUBMODULES:
            return "it has too many submodules to look at"
        common = _common(directory)
        if common is None:
            return f"{str(directory)!r} is no repository that can be looked at"
        for file in (common / "config", directory / "config.worktree"):
            if os.path.lexists(file) and (why := self._setting(file, tree)):
                return why
        return self._hook(common / "hooks") or self._below(directory, tree)

    def _setting(self, file: Path, tree: Path) -> str:
        text = _text(file)
        if text is None:
            return f"{str(file)!r} cannot be read"
        for name, value in settings_in(text):
            if name == "core.hookspath" and (why := self._hook(tree / value)):
                return why
            is_own_tree = name == "core.worktree" and _same(file.parent / value, tree)
            if not is_own_tree and not is_harmless(name, value, hooks=self._hooks):
                return f"{name} in {str(file)!r} may run a program"
        return ""

    def _hook(self, folder: Path) -> str:
        for name in _names(folder):
            counts = (self._hooks or name in _AT_ANY_TIME) and not name.endswith(".sample")
            if counts and os.access(folder / name, os.X_OK):
                return f"the hook {name!r} of the repository would run"
        return ""

    def _below(self, directory: Path, tree: Path) -> str:
        """The same of submodules: git looks into them as well."""
        paths = submodules_in(directory)
        if paths is None:
            return "it may have submodules, which cannot be looked at"
        return next((why for path in paths if (why := self._submodule(tree / path))), "")

    def _submodule(self, tree: Path) -> str:
        if not os.path.lexists(tree / ".git"):
            return ""  # it is not there yet
        directory = _pointed_at(tree / ".git")
        if directory is None:
            return f"{str(tree / '.git')!r} is no repository that can be looked at"
        return self._runs(directory, tree)


def _is_repository(place: Path) -> bool:
    """As git sees it: a worktree's has its objects elsewhere."""
    if not os.path.lexists(place / "HEAD"):
        return False
    whole = (place / "objects").is_dir() and (place / "refs").is_dir()
    return whole or os.path.lexists(place / "commondir")


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _pointed_at(entry: Path) -> Path | None:
    """The folder that `.git` is, or that it names."""
    real = Path(os.path.realpath(entry))
    if real.is_dir():
        return real
    text = _text(real)
    if text is None or not text.startswith(_POINTER):
        return None
    return Path(os.path.realpath(real.parent / text[len(_POINTER) :].rstrip("\r\n")))


def _common(directory: Path) -> Path | None:
    """Where a worktree has its settings: in the repository it belongs to."""
    if not os.path.lexists(directory / "commondir"):
        return directory
    text = _text(directory / "commondir")
    return None if text is None else Path(os.path.realpath(directory / text.rstrip("\r\n")))


def _text(file: Path) -> str | None:
    data = plain_bytes(file, _LARGEST)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def _names(folder: Path) -> Iterator[str]:
    try:
        yield from sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return
