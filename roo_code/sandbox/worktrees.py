"""The repository behind a workspace that is a worktree of it, and those of its submodules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_LONGEST = 4096
_MOST_SUBMODULES = 1 << 16
_SUBMODULE = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(\S[^\r\n]*?)[ \t]*$", re.MULTILINE)


def repository_of(workspace: Path) -> Path | None:
    """The `.git` folder that holds its history, or None if the workspace has its own, or none.

    The file that names it may be anybody's work: the repository itself must name the workspace.
    """
    link = workspace.resolve() / ".git"
    kept = _named_in(link, "gitdir: ")
    if kept is None:
        return None
    there = link.parent / kept
    back, common = _named_in(there / "gitdir"), _named_in(there / "commondir")
    if back is None or common is None or (there / back).resolve() != link:
        return None
    repository = (there / common).resolve()
    is_kept_there = there.resolve().parent == repository / "worktrees"
    return repository if is_kept_there and (repository / "objects").is_dir() else None


def submodules_of(workspace: Path) -> Iterator[str]:
    """Where the workspace has submodules, as it says itself; nothing that leads out of it."""
    text = _beginning_of(workspace / ".gitmodules", _MOST_SUBMODULES) or ""
    for match in _SUBMODULE.finditer(text):
        path = PurePosixPath(match[1].strip('"'))
        if not path.is_absolute() and ".." not in path.parts and path.parts:
            yield str(path)


def _named_in(file: Path, before: str = "") -> str | None:
    """The path that such a file of git holds."""
    text = _beginning_of(file, _LONGEST)
    return text.removeprefix(before).strip() if text and text.startswith(before) else None


def _beginning_of(file: Path, most: int) -> str | None:
    try:
        if not file.is_file():
            return None
        with file.open(encoding="utf-8") as opened:
            return opened.read(most)
    except (OSError, UnicodeDecodeError):
        return None
