"""Careful reading and writing of whole files in a workspace."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from roo_code.errors import ToolError
from roo_code.workspace.opening import folder_of, open_file


def read_bytes(home: Path, path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file."""
    try:
        descriptor = open_file(home, path)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def replace_file(home: Path, path: Path, data: bytes) -> None:
    """Put the bytes in place of the file at once: readers see the old or the new, never a part.

    Folders that are missing are made. A failure leaves everything as it was.
    """
    with folder_of(home, path, create=True) as folder:
        before = _status(path.name, folder)
        temporary = f".roo-{os.urandom(8).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o666 if before is None else 0o600, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if before is not None:
                    _copy_rights(before, descriptor)
                os.fsync(descriptor)
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        os.fsync(folder)


def _status(name: str, folder: int) -> os.stat_result | None:
    """What is there now; an error if it must not be replaced."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name!r} is a folder, so it cannot be written as a file.")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name!r} is not a regular file, so it was not replaced.")
    if not status.st_mode & 0o222:
        raise ToolError(f"{name!r} is marked read-only, so it was not replaced.")
    return status


def _copy_rights(before: os.stat_result, descriptor: int) -> None:
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(PermissionError):  # only root may give a file away
            os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
