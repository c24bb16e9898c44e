"""The folders a line works in, and whether its files are ones it may touch."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from roo_code.errors import ToolError
from roo_code.policy.protected import is_protected
from roo_code.policy.shell.repositories import runs_besides_git
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
        try:
            for folder in self._folders:
                self._workspace.resolve_readable(str(folder / path))
        except ToolError as error:
            return str(error)
        return ""

    def matching(self, lead: str, depth: int) -> str:
        """Why what begins so, down to folders so deep, must be asked before it is read.

        A link that leads out of the workspace may be among what the shell puts for a `*`.
        """
        above, _, beginning = lead.rpartition("/")
        left = _MOST_ENTRIES
        for folder in self._folders:
            level = [folder / above]
            for _ in range(depth + 1):
                below = list[PurePosixPath]()
                for place in level:
                    for entry in self._entries(place, beginning):
                        left -= 1
                        if left < 0:
                            return "there are too many files to look at"
                        if entry.is_symlink() and (why := self.reading(str(place / entry.name))):
                            return why
                        if entry.is_dir():
                            below.append(place / entry.name)
                level, beginning = below, ""
        return ""

    def _entries(self, place: PurePosixPath, beginning: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._workspace.root / place) as found:
                return [entry for entry in found if entry.name.startswith(beginning)]
        except OSError:
            return []

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
