"""The repository behind a workspace that is a worktree of it, as `git worktree add` makes them."""

from __future__ import annotations

from pathlib import Path

_LONGEST = 4096


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


def _named_in(file: Path, before: str = "") -> str | None:
    """The path that such a file of git holds."""
    try:
        if not file.is_file():
            return None
        with file.open(encoding="utf-8") as opened:
            text = opened.read(_LONGEST)
    except (OSError, UnicodeDecodeError):
        return None
    return text.removeprefix(before).strip() if text.startswith(before) else None
