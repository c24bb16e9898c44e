"""Files that several processes write: one at a time, and each write whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Generator
from pathlib import Path

from roo_code.errors import ConfigError

LOCK_SECONDS = 20.0
_POLL_SECONDS = 0.005


@contextlib.contextmanager
def locked(path: Path, seconds: float = LOCK_SECONDS) -> Generator[None]:
    """Hold the folder of the file, which need not exist, against all who write there this way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        try:
            _acquire(descriptor, path, seconds)
        except OSError:  # some network file systems lock files only
            os.close(descriptor)
            lock = path.with_name(f".{path.name}.lock")
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _acquire(descriptor, path, seconds)
        yield
    finally:
        os.close(descriptor)  # which releases it


def _acquire(descriptor: int, path: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ConfigError(
                    f"Another process keeps {str(path)!r} locked.", hint="Try again."
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def replace_file(path: Path, data: bytes, *, private: bool = False) -> None:
    """Put the bytes in place of the file at once; who writes what others write holds the lock.

    A kill at any moment leaves the old file or the new one. Rights stay as they were; a new file,
    or a `private` one, is for its owner only.
    """
    try:
        _remove_leftovers(path)
        mode = 0o600 if private else _mode_of(path)
        temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            Path(temporary).replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _flush_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"{str(path)!r} cannot be written: {(error.strerror or str(error)).lower()}.",
        hint="Make its folder writable, free some space, or set ROO_HOME to another folder.",
    )


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o600


def _remove_leftovers(path: Path) -> None:
    """Of writers that were killed; none is alive, since we hold the lock."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
