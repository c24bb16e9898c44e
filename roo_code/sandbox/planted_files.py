"""Files that a command in the sandbox could make, by which git would run programs outside of it.

What is there when the sandbox is opened is read-only. What is not cannot be: a mount needs a place.
"""

from __future__ import annotations

import os
from pathlib import Path

_NAMES = (".git/commondir", ".git/config.worktree")


class PlantedFiles:
    """Those that were not there before are put aside whenever somebody looks."""

    def __init__(self, workspace: Path) -> None:
        paths = [workspace / name for name in _NAMES]
        self._missing = [path for path in paths if not os.path.lexists(path)]

    def put_aside(self) -> tuple[str, ...]:
        """A sentence for each."""
        return tuple(map(_put_aside, filter(os.path.lexists, self._missing)))


def _put_aside(path: Path) -> str:
    aside = path.with_name(f"{path.name}.put-aside-{os.urandom(4).hex()}")
    path.rename(aside)
    return f"A command made {path}, by which git would run other programs. It is {aside} now."
