"""`.rooignore`: the files that a user keeps from the agent."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from roo_code.errors import NotAllowed
from roo_code.json_text import to_json

if TYPE_CHECKING:
    from roo_code.workspace.ignore_patterns import IgnorePatterns

FILE_NAME = ".rooignore"
LARGEST = 1 << 20
LOCK = "\N{LOCK}"
"""Marks an ignored entry where a user wants such entries listed."""

_Version: TypeAlias = tuple[int, int, int, int]


class RooIgnore:
    """The patterns at the root of one workspace, as the file has them at the moment."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._version: _Version | None = None
        self._text = ""
        self._patterns: IgnorePatterns | None = None

    def exists(self) -> bool:
        return self._current() is not None

    def hides(self, relative: str, *, folder: bool = False) -> bool:
        """Whether a path, relative to the workspace, is kept from the agent."""
        patterns = self._current()
        if patterns is None or relative in {"", "."} or relative.startswith("/"):
            return False  # what lies outside is not the user's project
        parts = relative.split("/")
        return parts == [FILE_NAME] or patterns.ignore(parts, folder=folder)

    def hides_file(self, path: Path) -> bool:
        """The same for a path as it stands, which may lie outside or lead through links."""
        if self._current() is None:
            return False
        return any(self._hides(candidate) for candidate in _with_target(path))

    def notice(self) -> str:
        """What the model is told beforehand; empty where nothing is ignored."""
        if self._current() is None:
            return ""
        return (
            f"# {FILE_NAME}\n\n"
            "The user keeps the files that these patterns match from you: every tool refuses "
            f"them, and so do commands that read them. Where they are listed, {LOCK} marks them. "
            "Work without them; ask the user if you cannot.\n\n"
            f"{self._text.rstrip()}\n{FILE_NAME}"
        )

    def _hides(self, path: Path) -> bool:
        if not path.is_relative_to(self._root):
            return False
        return self.hides(path.relative_to(self._root).as_posix(), folder=path.is_dir())

    def _current(self) -> IgnorePatterns | None:
        """The patterns, read again if the file has changed."""
        try:
            status = (self._root / FILE_NAME).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unusable(error.strerror or str(error)) from error
        if not stat.S_ISREG(status.st_mode):  # a pipe would keep us waiting for its writer
            raise _unusable("it is not a file")
        version = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        with self._lock:
            if version != self._version:
                self._patterns = self._load()
                self._version = version
            return self._patterns

    def _load(self) -> IgnorePatterns:
        from roo_code.workspace.ignore_patterns import (  # noqa: PLC0415 - most have no such file
            IgnorePatterns,
        )

        try:
            with (self._root / FILE_NAME).open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise _unusable(error.strerror or str(error)) from error
        if len(data) > LARGEST:
            raise _unusable("it is larger than a megabyte")
        self._text = data.decode("utf-8", "replace")
        try:
            return IgnorePatterns(self._text, strict=True)
        except ValueError as error:
            raise _unusable(str(error)) from error


def refusal(path: str) -> NotAllowed:
    """What a tool answers that was asked for an ignored file."""
    told = {
        "status": "error",
        "type": "access_denied",
        "message": f"The user keeps this path from you with {FILE_NAME}.",
        "path": path,
        "suggestion": f"Go on without it, or ask the user to change {FILE_NAME}.",
    }
    return NotAllowed(to_json(told).decode())


def _with_target(path: Path) -> Sequence[Path]:
    """The path with dots resolved, and where links on it lead."""
    written, real = Path(os.path.normpath(path)), Path(os.path.realpath(path))
    return (written,) if written == real else (written, real)


def _unusable(reason: str) -> NotAllowed:
    # Nothing is let through that the user may have meant to hide.
    return NotAllowed(
        f"{FILE_NAME} of this workspace cannot be used: {reason}. Until it is mended, no file can "
        "be accessed. Tell the user."
    )
