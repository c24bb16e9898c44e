"""Lines typed at a terminal, read without a thread that would keep the program from ending."""

from __future__ import annotations

import asyncio
import os
import termios
from collections import deque
from contextlib import suppress
from typing import TextIO

_PASTE_SECONDS = 0.05
"""Lines that come closer together than this were pasted and belong together."""


def open_terminal() -> TextIO | None:
    """The terminal this program was started from, if there is one, whatever stdin may be."""
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    return os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace")


class TerminalInput:
    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ended = False
        self._arrived = asyncio.Event()

    async def line(self) -> str | None:
        """The next line, or None once there are no more."""
        loop = asyncio.get_running_loop()
        if not self._lines and not self._ended:
            self._arrived.clear()
            loop.add_reader(self._fd, self._read)
            try:
                await self._arrived.wait()
            finally:
                loop.remove_reader(self._fd)
        return self._lines.popleft() if self._lines else None

    async def lines(self) -> str | None:
        """The next line with those pasted together with it."""
        text = await self.line()
        if text is None:
            return None
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(_PASTE_SECONDS):
                    more = await self.line()
                if more is None:
                    break
                text += "\n" + more
        return text

    def forget_typed(self) -> None:
        """What was typed before a question was shown is no answer to it."""
        self._lines.clear()
        self._rest = b""
        with suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # the terminal is gone
            data = b""
        self._ended = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(line.decode("utf-8", "replace").rstrip("\r") for line in lines)
        if self._ended and self._rest:
            self._lines.append(self._rest.decode("utf-8", "replace"))
            self._rest = b""
        if self._lines or self._ended:
            self._arrived.set()
