"""A running command: a thread reads what it prints, so that it goes on whatever the agent does."""

from __future__ import annotations

import asyncio
import contextlib
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.builtin_tools.command_status import status_line
from roo_code.workspace.processes import ProcessGroup
from roo_code.workspace.uncut import uncut

_CHUNK = 1 << 16
_POLL = 0.05
_TICK = 0.1
_MOMENT = 1.0
_LAST_WORDS = 0.2
"""Seconds in which what a command's children print after its end still counts as its output."""


class CommandRun:
    """`ended` is set when the command has exited, even if children of it still run.

    After `limit` seconds it is killed with all its children, wherever it runs by then.
    """

    def __init__(
        self,
        group: ProcessGroup,
        output: CommandOutput,
        *,
        command: str,
        folder: Path,
        limit: float | None,
    ) -> None:
        self.group = group
        self.output = output
        self.command = command
        self.folder = folder
        self.limit = limit
        self.status: int | None = None
        """Exit status; negative for a signal."""
        self.timed_out = False
        self.ended = asyncio.Event()
        self._started = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._left = False
        # A daemon: a command left in the background must not keep the program from ending.
        self._thread = threading.Thread(target=self._follow, name="roo-command", daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self._started

    def leave(self) -> None:
        """Go on in the background; the artifact tells the end of it."""
        self.output.persist()
        self._left = True

    async def watch(self, show: Callable[[str], None], patience: float | None) -> None:
        """Show the output as it comes until the command ends or the patience does."""
        until = None if patience is None else time.monotonic() + patience
        while not self.ended.is_set() and (until is None or time.monotonic() < until):
            tick = _TICK if until is None else min(_TICK, until - time.monotonic())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), max(tick, 0))
            if text := self.output.take_live():
                show(text)

    async def settle(self) -> None:
        """Wait a moment for what a sandbox ends itself, after the end of the command."""
        if self.group.left_behind():
            await asyncio.to_thread(self.group.wait_until_gone, _MOMENT)

    async def stop(self) -> None:
        """End the command and all its children; being cancelled meanwhile does not cut it short."""
        await uncut(asyncio.to_thread(self._stop))

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
                data = self.group.read(_CHUNK)
                if not data:
                    break
                self.output.write(data)
            if self.status is None and (status := self.group.poll()) is not None:
                if exited_at is None:
                    exited_at = time.monotonic()  # it may have spoken since we listened: once more
                elif quiet or time.monotonic() - exited_at > _LAST_WORDS:
                    self._end(status)
            self._keep_to_limit()
        status = self.group.wait()
        if self._left:
            self.output.write(f"\n[{status_line(status)}]\n".encode())
        self.output.finish()
        self.group.close()
        self._end(status)

    def _keep_to_limit(self) -> None:
        over = self.limit is not None and self.seconds > self.limit
        if over and self.status is None and not self.timed_out:
            self.timed_out = True
            self.group.stop()

    def _end(self, status: int) -> None:
        if self.status is None:
            self.status = status
            with contextlib.suppress(RuntimeError):  # the loop may be gone when we are not
                self._loop.call_soon_threadsafe(self.ended.set)
