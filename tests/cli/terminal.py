"""A real terminal with a program in it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

CTRL_C = b"\x03"
CTRL_D = b"\x04"


class Terminal:
    """Type with `send`, read with `wait_for`. Nothing here sleeps: it waits for output."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], *, columns: int = 100
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.output = ""
        self._seen = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def send(self, data: str | bytes) -> None:
        os.write(self._master, data.encode() if isinstance(data, str) else data)

    def line(self, text: str) -> None:
        self.send(text + "\n")

    def wait_for(self, text: str, seconds: float = 20) -> str:
        """Read on until the text has come since the last wait; returns what came with it."""
        until = time.monotonic() + seconds
        while (place := self.output.find(text, self._seen)) < 0:
            if not self._read(until - time.monotonic()):
                raise AssertionError(f"{text!r} did not come. Shown:\n{self.output[self._seen :]}")
        start, self._seen = self._seen, place + len(text)
        return self.output[start : self._seen]

    def exit_code(self, seconds: float = 20) -> int:
        """When the program has ended and all it showed is read."""
        until = time.monotonic() + seconds
        while self._read(until - time.monotonic()):
            pass
        return self.process.wait(max(0.1, until - time.monotonic()))

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.output += data.decode("utf-8", "replace")
        return bool(data)


def _take_terminal() -> None:
    """Make the terminal the one that Ctrl-C comes from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
