"""Files that steer the agent or run code of themselves: changing them needs a person's word."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

PROTECTED_FILES = (
    ".rooignore",
    ".roomodes",
    ".roorules*",
    ".clinerules*",
    ".rooprotected",
    "*.code-workspace",
    "AGENTS.md",
    "AGENTS.local.md",
    "AGENT.md",
)
PROTECTED_FOLDERS = (".roo", ".agents", ".vscode", ".git", ".husky")


def is_protected(path: str) -> bool:
    """Whether a path, relative to the workspace, is such a file or lies in such a folder.

    At any depth, and whatever the case of the letters: some file systems ignore it.
    """
    parts = [part.casefold() for part in PurePosixPath(path).parts]
    if any(part in PROTECTED_FOLDERS for part in parts):
        return True
    return any(
        fnmatchcase(part, pattern.casefold()) for part in parts for pattern in PROTECTED_FILES
    )
