"""Opening files so that nothing put in the way meanwhile can lead out of the workspace.

A path is resolved once and then opened folder by folder, each step refusing links: whoever swaps
a folder for a link between the check and the use gets an error, not a file elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

from roo_code.errors import ToolError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe waits for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "a symbolic link on the path leads in a circle, or was put there just now",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EFBIG: "the file would be too large",
}


@contextlib.contextmanager
def told_plainly(shown: str) -> Generator[None]:
    """System errors that a repeat will not mend become a sentence for the model."""
    try:
        yield
    except OSError as error:
        if reason := _REASONS.get(error.errno or 0):
            raise ToolError(f"{shown!r}: {reason}.") from error
        raise


def open_file(home: Path, path: Path) -> int:
    """A descriptor for reading the regular file at a resolved path below `home`."""
    with folder_of(home, path) as folder:
        descriptor = os.open(path.name, _FILE, dir_fd=folder)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise ToolError(f"{path.name!r} is a device, a pipe or a socket, not a file.")


@contextlib.contextmanager
def folder_of(home: Path, path: Path, *, create: bool = False) -> Generator[int]:
    """A descriptor of the folder that a resolved path lies in.

    With `create`, folders that are missing are made, and removed again if the block fails.
    """
    if path == home:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    created: list[Path] = []
    descriptor = os.open(home, _FOLDER)
    try:
        here = home
        for part in path.parent.relative_to(home).parts:
            here /= part
            if create and _make_folder(part, descriptor):
                created.append(here)
            below = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    except BaseException:
        with contextlib.suppress(OSError):
            for folder in reversed(created):
                folder.rmdir()
        raise
    finally:
        os.close(descriptor)


def _make_folder(name: str, parent: int) -> bool:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return False
    return True
