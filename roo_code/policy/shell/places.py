"""The folders a line works in, and whether its files are ones it may touch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from roo_code.errors import ToolError
from roo_code.policy.protected import is_protected
from roo_code.policy.shell.repositories import runs_besides_git
from roo_code.sandbox.search_path import folders_inside
from roo_code.workspace.workspace import Workspace

_HARMLESS = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "-"})
_MOST_FOLDERS = 8
_MOST_ENTRIES = 20_000


class Places:
    """Where a relative path may lead, after each `cd` that may or may not have worked."""

    def __init__(self, workspace: Workspace, folder: str = ".") -> None:
        self._workspace = workspace
        self._folders = [PurePosixPath(folder)]

    def enter(self, folder: str) -> str:
        """Go to a folder; why it must be asked, if it must."""
        if why := self.reading(folder):
            return why
        if len(self._folders) > _MOST_FOLDERS:
            return "too many folders"
        self._folders += [before / folder for before in self._folders]
        return ""

    def reading(self, path: str) -> str:
        """Why a path must be asked before it is read; empty if it need not."""
        if path in _HARMLESS:
            return ""
        found = (self._unreadable(folder / path) for folder in self._folders)
        return next((why for why in found if why), "")

    def _unreadable(self, path: PurePosixPath) -> str:
        try:
            self._workspace.resolve_readable(str(path))
        except ToolError as error:
            return str(error)
        return ""

    def matching(self, lead: str, depth: int) -> str:
        """Why what begins so, down to folders so deep, must be asked before it is read.

        What the shell puts for a `*` may be a link that leads out of the workspace, or a file that
        the user hides.
        """
        above, _, beginning = lead.rpartition("/")
        is_hiding = self._workspace.rooignore.exists()
        starts = [folder / above for folder in self._folders]
        for count, (path, is_link) in enumerate(self._below(starts, beginning, depth)):
            if count >= _MOST_ENTRIES:
                return "there are too many files to look at"
            if (is_link or is_hiding) and (why := self._unreadable(path)):
                return why
        return ""

    def _below(
        self, folders: Sequence[PurePosixPath], beginning: str, depth: int
    ) -> Iterator[tuple[PurePosixPath, bool]]:
        """Each entry, and whether it is a link."""
        for folder in folders:
            inner: list[PurePosixPath] = []
            for entry in self._entries(folder, beginning):
                yield folder / entry.name, entry.is_symlink()
                if depth and entry.is_dir():
                    inner.append(folder / entry.name)
            yield from self._below(inner, "", depth - 1)

    def _entries(self, place: PurePosixPath, beginning: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._workspace.root / place) as found:
                return [entry for entry in found if entry.name.startswith(beginning)]
        except OSError:
            return []

    def holds_program(self, name: str) -> bool:
        """Whether the search path finds the program in the workspace, where anyone can put one."""
        folders = folders_inside(os.environ.get("PATH", os.defpath), self._workspace.root)
        return any(os.path.lexists(folder / name) for folder in folders)

    def git_runs(self, *, hooks: bool) -> str:
        """What besides git would run if it were started in one of the folders."""
        root = Path(os.path.realpath(self._workspace.root))
        real = {Path(os.path.realpath(root / folder)) for folder in self._folders}
        found = (runs_besides_git(folder, hooks=hooks) for folder in sorted(real))
        return next((why for why in found if why), "")

    def writing(self, path: str) -> str:
        if path in _HARMLESS:
            return ""
        try:
            for folder in self._folders:
                named = folder / path
                real = self._workspace.relative(self._workspace.resolve(str(named)))
                if is_protected(str(named)) or is_protected(real):
                    return f"{path!r} is protected: it steers the agent or runs code"
        except ToolError as error:
            return str(error)
        return ""
