"""Ctrl-C and SIGTERM while a task runs: the first asks to stop, a second does not wait."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = 130
TERMINATED = 143


class Interrupts:
    def __init__(self, before_exit: Callable[[], None]) -> None:
        self._before_exit = before_exit
        """What must be put right even when nothing else is waited for."""
        self.received: signal.Signals | None = None

    @contextmanager
    def stopping(self, work: asyncio.Task[Any]) -> Generator[None]:
        """A signal cancels the work; what it was is in `received`."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._receive, number, work)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _receive(self, number: signal.Signals, work: asyncio.Task[Any]) -> None:
        if self.received is None:
            self.received = number
            work.cancel()
        else:
            self._before_exit()
            os._exit(INTERRUPTED if number == signal.SIGINT else TERMINATED)
