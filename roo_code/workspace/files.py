"""Careful reading and writing of whole files in a workspace."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from roo_code.errors import ToolError
from roo_code.workspace.file_changes import FileChange, Version, change_files, version_of
from roo_code.workspace.opening import open_file

LARGEST_FILE = 64 << 20
"""Larger files are not read whole: an edit holds a file several times over in memory."""


class FileState(NamedTuple):
    """A file as it was when it was read."""

    data: bytes
    version: Version
    mode: int


def digest(data: bytes) -> str:
    """Tells one content of a file from another."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_state(home: Path, path: Path) -> FileState | None:
    """The file, or None if there is none."""
    try:
        descriptor = open_file(home, path)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_size > LARGEST_FILE:
            raise ToolError(
                f"{path.name!r} has {status.st_size:,} bytes, too many to edit. Use a command."
            )
        return FileState(file.read(), version_of(status), status.st_mode & 0o7777)


def read_bytes(home: Path, path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file."""
    state = read_state(home, path)
    return None if state is None else state.data


def replace_file(home: Path, path: Path, data: bytes, version: Version | None = None) -> None:
    """Put the bytes in place of the file at once; see `change_files`."""
    change_files(home, [FileChange(path, data, version)])
