"""Files that have changed since the model saw them, told once for each change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from roo_code.errors import ToolError
from roo_code.workspace.file_changes import MISSING, Version, version_of
from roo_code.workspace.files import digest, read_bytes
from roo_code.workspace.workspace import Workspace

_TOLD = "told:"
"""Before the digest of a content that the model has heard of but not seen: an edit that relies on
what it saw before is still refused."""


class FileNews(NamedTuple):
    changed: list[str]
    gone: list[str]
    digests: dict[str, str]
    """What is to be noted of them, so that they are told only once."""


class SeenFiles:
    """Looks at the files of a task's history; those whose status is the same are not read again."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, tuple[Version, str]] = {}
        """Of each path, a version and the digest that it had."""

    def news(self, seen: Mapping[str, str]) -> FileNews:
        """What differs from what was seen or told. Blocks; meant for a thread if there are many."""
        news = FileNews([], [], {})
        for path, noted in seen.items():
            now = self._digest(path)
            if now is None or noted in (now, f"{_TOLD}{now}"):
                continue
            (news.changed if now else news.gone).append(path)
            news.digests[path] = f"{_TOLD}{now}"
        return news

    def _digest(self, path: str) -> str | None:
        """Empty if the file is gone; None if nothing can be said of it."""
        place = Path(os.path.normpath(self._workspace.root / path))
        try:
            version = version_of(place.stat())
        except (FileNotFoundError, NotADirectoryError):
            version = MISSING
        except (OSError, ValueError):
            return None
        known = self._known.get(path)
        if known is not None and known[0] == version:
            return known[1]
        found = "" if version == MISSING else self._read(path)
        if found is not None:
            self._known[path] = (version, found)
        return found

    def _read(self, path: str) -> str | None:
        try:
            real = self._workspace.resolve_readable(path)
            data = read_bytes(self._workspace.home_of(real), real)
        except (OSError, ToolError):  # no file any more, or one that is hidden by now
            return None
        return "" if data is None else digest(data)
