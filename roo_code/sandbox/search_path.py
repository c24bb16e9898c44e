"""Where we look for programs that we start ourselves."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path


def search_path(workspace: Path | None = None) -> str:
    """The PATH without what lies in the workspace: anyone can put a program there, by any name.

    Its virtual environment is on the PATH of whoever has activated it.
    """
    whole = os.environ.get("PATH", os.defpath)
    if workspace is None:
        return whole
    inside = folders_inside(whole, workspace)
    return os.pathsep.join(f for f in whole.split(os.pathsep) if Path(f) not in inside)


@lru_cache(16)
def folders_inside(searched: str, workspace: Path) -> tuple[Path, ...]:
    """The folders of a search path that lie in the workspace."""
    root = os.path.realpath(workspace)
    if root == "/":
        return ()  # everything does, and no sandbox is made for it
    folders = (Path(entry) for entry in searched.split(os.pathsep))
    return tuple(f for f in folders if Path(os.path.realpath(workspace / f)).is_relative_to(root))
