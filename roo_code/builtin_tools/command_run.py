"""A running command: a thread reads what it prints, so that it goes on whatever the agent does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import threading
import time
from collections.abc import Callable

from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.workspace.processes import ProcessGroup

_CHUNK = 1 << 16
_POLL = 0.05
_LAST_WORDS = 0.2
"""Seconds in which what a command's children print after its end still counts as its output."""


class CommandRun:
    """`ended` is set when the command has exited, even if children of it still run."""

    def __init__(self, group: ProcessGroup, output: CommandOutput) -> None:
        self.group = group
        self.output = output
        self.status: int | None = None
        """Exit status; negative for a signal."""
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._epitaph: Callable[[int], str] | None = None
        # A daemon: a command left in the background must not keep the program from ending.
        self._thread = threading.Thread(target=self._follow, name="roo-command", daemon=True)
        self._thread.start()

    def leave(self, epitaph: Callable[[int], str]) -> None:
        """Go on in the background; the artifact tells the end of it."""
        self.output.persist()
        self._epitaph = epitaph

    async def stop(self) -> None:
        """End the command and all its children; being cancelled meanwhile does not cut it short."""
        stopping = asyncio.create_task(asyncio.to_thread(self._stop))
        cancelled = False
        while not stopping.done():
            try:
                await asyncio.shield(stopping)
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    def _stop(self) -> None:
        self.group.stop()
        self._thread.join(timeout=1.0)

    def _follow(self) -> None:
        poller = select.poll()
        poller.register(self.group.output, select.POLLIN | select.POLLHUP)
        exited_at: float | None = None
        while True:
            quiet = not poller.poll(int(_POLL * 1000))
            if not quiet:
                data = os.read(self.group.output, _CHUNK)
                if not data:
                    break
                self.output.write(data)
            if self.status is None and (status := self.group.poll()) is not None:
                if exited_at is None:
                    exited_at = time.monotonic()  # it may have spoken since we listened: once more
                elif quiet or time.monotonic() - exited_at > _LAST_WORDS:
                    self._end(status)
        status = self.group.wait()
        if self._epitaph is not None:
            self.output.write(self._epitaph(status).encode())
        self.output.finish()
        self.group.close()
        self._end(status)

    def _end(self, status: int) -> None:
        if self.status is None:
            self.status = status
            with contextlib.suppress(RuntimeError):  # the loop may be gone when we are not
                self._loop.call_soon_threadsafe(self.ended.set)
