"""A network of its own for the commands of a sandbox, in which we listen from outside.

A namespace lives as long as anybody holds a descriptor of it, and a listening socket belongs to the
namespace it was made in, whoever accepts from it. So there is no process to be kept, and nothing
is left when we are killed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

from roo_code.sandbox import namespace_maker

_SECONDS = 10


class NoNamespace(Exception):
    """Why there is none on this machine."""


class NetworkNamespace:
    """`listeners` are those of the given ports in it, 0 for any that is free."""

    def __init__(self, bwrap: str, nsenter: str | None, ports: Sequence[int]) -> None:
        """Raises NoNamespace, too, where commands could not be started in it."""
        if nsenter is None:
            raise NoNamespace("nsenter is not installed")
        isolated = (bwrap, "--die-with-parent", "--unshare-user-try", "--ro-bind", "/", "/")
        user, network, *listening = _made(isolated, ports)
        self._held = (FileIO(user), FileIO(network))
        self.listeners = [socket.socket(fileno=listener) for listener in listening]
        of_ours = f"/proc/{os.getpid()}/fd"
        self.entering = (
            nsenter, "--preserve-credentials",
            f"--user={of_ours}/{user}", f"--net={of_ours}/{network}",
        )  # fmt: skip
        try:
            _run([*self.entering, *isolated, "--", "true"])
        except NoNamespace:
            self.close()
            raise

    def close(self) -> None:
        for held in (*self.listeners, *self._held):
            held.close()


def _made(isolated: Sequence[str], ports: Sequence[int]) -> Sequence[int]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        told = map(str, (theirs.fileno(), *ports))
        maker = (sys.executable, "-I", "-S", str(Path(namespace_maker.__file__)), *told)
        # A port below 1024 is one as any other, for the network is nobody else's.
        right = ("--cap-add", "CAP_NET_BIND_SERVICE")
        _run([*isolated, "--unshare-net", *right, "--", *maker], handed=(theirs.fileno(),))
        ours.settimeout(_SECONDS)
        _, handed, _, _ = socket.recv_fds(ours, 1, 2 + len(ports), socket.MSG_CMSG_CLOEXEC)
    return handed


def _run(argv: Sequence[str], handed: Sequence[int] = ()) -> None:
    try:
        subprocess.run(
            argv, pass_fds=handed, env={}, capture_output=True, text=True, errors="replace",
            timeout=_SECONDS, check=True, start_new_session=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines()
        raise NoNamespace(said[-1] if said else f"exit status {error.returncode}") from error
    except (subprocess.TimeoutExpired, OSError) as error:
        raise NoNamespace(str(error)) from error
