"""Where text is written: standard output and error, with a spinner while nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from roo_code.cli.style import Style

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SECONDS_PER_FRAME = 0.1
_ERASE = "\r\x1b[K"


class Screen:
    def __init__(self, out: TextIO, errors: TextIO) -> None:
        self._out = out
        self._errors = errors
        self.style = Style.of(out)
        self.error_style = Style.of(errors)
        self._at_line_start = True
        self._spinner_shown = False
        self._activity: str | None = None
        self._since = time.monotonic()

    def write(self, pieces: Iterable[str]) -> None:
        if text := "".join(pieces):
            self.erase_spinner()
            self._out.write(text)
            self._out.flush()
            self._at_line_start = text.endswith("\n")

    def notice(self, text: str) -> None:
        """A line beside the output proper: a hint, how it went, what is wrong."""
        self.erase_spinner()
        if not self._at_line_start and self.style.terminal:
            self.write("\n")
        self._errors.write(text + "\n")
        self._errors.flush()

    def waits_for(self, activity: str | None) -> None:
        if activity != self._activity:
            self._activity, self._since = activity, time.monotonic()

    @asynccontextmanager
    async def spinning(self) -> AsyncGenerator[None]:
        """While this lasts, a terminal shows what is waited for and how long already."""
        if not self.style.terminal:
            yield
            return
        animation = asyncio.create_task(self._animate())
        try:
            yield
        finally:
            animation.cancel()
            with suppress(asyncio.CancelledError):
                await animation
            self.erase_spinner()

    def erase_spinner(self) -> None:
        if self._spinner_shown:
            self._spinner_shown = False
            self._out.write(_ERASE)
            self._out.flush()

    async def _animate(self) -> None:
        frame = 0
        while True:
            await asyncio.sleep(_SECONDS_PER_FRAME)
            if self._activity and self._at_line_start:
                frame = (frame + 1) % len(_FRAMES)
                seconds = int(time.monotonic() - self._since)
                shown = self.style.cut(f"{_FRAMES[frame]} {self._activity} {seconds} s", 1)
                self._out.write(f"\r{self.style.dim(shown)}\x1b[K")
                self._out.flush()
                self._spinner_shown = True
