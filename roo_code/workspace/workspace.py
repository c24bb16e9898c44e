"""Workspace: paths that stay inside one folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from roo_code.errors import NotAllowed, ToolError
from roo_code.workspace.rooignore import RooIgnore, refusal


@dataclass(frozen=True)
class Workspace:
    """The folder a task may work in. Links are followed before a path is judged."""

    root: Path
    readable: tuple[Path, ...] = ()
    """Folders elsewhere that may be read but not changed, such as a task's artifacts."""

    @cached_property
    def rooignore(self) -> RooIgnore:
        """What the user keeps from the agent; `resolve` refuses it."""
        return RooIgnore(_real(self.root))

    def resolve(self, path: str) -> Path:
        """The real path of a file that may be read and changed, or an error the model reads."""
        return self._resolve(path, (self.root,))

    def resolve_readable(self, path: str) -> Path:
        """The real path of a file that may be read."""
        return self._resolve(path, (self.root, *self.readable))

    def home_of(self, path: Path) -> Path:
        """The real folder that a resolved path lies in, for opening it step by step from there."""
        for root in map(_real, (self.root, *self.readable)):
            if path.is_relative_to(root):
                return root
        raise NotAllowed(f"{str(path)!r} is outside the workspace {str(_real(self.root))!r}.")

    def relative(self, path: Path) -> str:
        """How the path is shown: relative to the workspace, with forward slashes."""
        root = _real(self.root)
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)

    def _resolve(self, path: str, roots: tuple[Path, ...]) -> Path:
        if "\0" in path:
            raise ToolError(f"{path!r} is not a path: it holds a NUL character.")
        try:
            os.fsencode(path)
        except UnicodeEncodeError as error:
            raise ToolError(f"{path!r} is not a path: it holds a broken character.") from error
        written = Path(path).expanduser() if path == "~" or path.startswith("~/") else Path(path)
        root = _real(self.root)
        resolved = _real(root / written)
        if not any(resolved.is_relative_to(_real(allowed)) for allowed in roots):
            raise NotAllowed(f"{path!r} is outside the workspace {str(root)!r}.")
        if self.rooignore.hides_file(root / written):
            raise refusal(path)
        return resolved


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
