"""The folders a line works in, and whether its files are ones it may touch."""

from __future__ import annotations

from pathlib import PurePosixPath

from roo_code.errors import ToolError
from roo_code.policy.protected import is_protected
from roo_code.workspace.workspace import Workspace

_HARMLESS = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "-"})
_MOST_FOLDERS = 8


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
