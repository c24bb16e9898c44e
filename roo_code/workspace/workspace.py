"""Workspace: paths that stay inside one folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from roo_code.errors import NotAllowed, ToolError


@dataclass(frozen=True)
class Workspace:
    root: Path

    def resolve(self, path: str) -> Path:
        """The real path of a file in the workspace, links followed, or an error the model reads."""
        if "\0" in path:
            raise ToolError(f"{path!r} is not a path: it holds a NUL character.")
        resolved = Path(os.path.realpath(self.root / Path(path).expanduser()))
        root = Path(os.path.realpath(self.root))
        if resolved != root and not resolved.is_relative_to(root):
            raise NotAllowed(f"{path!r} is outside the workspace {str(root)!r}.")
        return resolved

    def relative(self, path: Path) -> str:
        """How the path is shown: relative to the workspace, with forward slashes."""
        root = Path(os.path.realpath(self.root))
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
