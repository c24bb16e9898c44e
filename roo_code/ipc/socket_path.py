"""The socket in the file system: its name, who may open it, and what a dead process left there."""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from pathlib import Path
from tempfile import gettempdir

from roo_code.errors import ConfigError

PATH_VARIABLE = "ROO_CODE_IPC_SOCKET_PATH"
IS_WINDOWS = sys.platform == "win32"
_BACKLOG = 100
_PIPES = "\\\\.\\pipe\\"


def default_path(*, windows: bool = IS_WINDOWS) -> str:
    """Such as `/tmp/roo-code-ipc-4711.sock`."""
    name = f"roo-code-ipc-{os.getpid()}"
    return f"{_PIPES}{name}" if windows else str(Path(gettempdir()) / f"{name}.sock")


def pipe_name(path: str) -> str:
    """The Windows pipe that node-ipc makes of a path."""
    bare = path.removeprefix("/").replace("/", "-")
    return path if path.startswith(_PIPES) else f"{_PIPES}{bare}"


def listen(path: str) -> socket.socket:
    """A socket that only this user may open; nobody can connect before its mode is set."""
    _remove_stale(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(path)
        Path(path).chmod(0o600)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"The socket {path!r} cannot be made: {error.strerror or error}.",
            hint="Choose another with --socket; a path may have about 100 bytes.",
        ) from error
    listening.setblocking(False)
    return listening


def is_served(path: str) -> bool:
    """Whether somebody answers there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(path)
        except TimeoutError:
            return True  # somebody is there, and busy
        except OSError:
            return False
    return True


def _remove_stale(path: str) -> None:
    """What a process that was killed left behind; never anything else."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if not stat.S_ISSOCK(mode):
        raise ConfigError(f"{path!r} exists and is no socket.", hint="Choose another --socket.")
    if is_served(path):
        raise ConfigError(
            f"Another process serves {path!r}.", hint="Choose another --socket, or end that one."
        )
    Path(path).unlink(missing_ok=True)


class SocketFile:
    """The file of a socket that is ours, to be removed if it still is."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._identity = self._look()

    def _look(self) -> tuple[int, int] | None:
        try:
            found = self._path.lstat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def remove(self) -> None:
        if self._identity is not None and self._look() == self._identity:
            self._path.unlink(missing_ok=True)


def peer_uid(connected: socket.socket) -> int | None:
    """The user at the other end; None where the system does not say."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.unpack("iII", credentials)[1]
    if sys.platform == "darwin":  # struct xucred: version, uid, number of groups, groups
        credentials = connected.getsockopt(0, socket.LOCAL_PEERCRED, 76)
        return struct.unpack_from("II", credentials)[1]
    return None
