"""A server as a child process: in a group of its own, ended with us however we end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import cast

from roo_code.errors import ConnectionCut
from roo_code.workspace.child_marks import marked
from roo_code.workspace.process_list import living, marks_are_seen
from roo_code.workspace.processes import end_all
from roo_code.workspace.reaper import Reaper

# Where marks are not seen the reaper must know of the group before the program starts.
_GATE = ("/bin/sh", "-c", 'read -r go || exit 125; exec "$@"', "sh")
_LEAVE_GRACE = 2.0
"""How long a server may take to end by itself once its input is closed."""
_MOST_WAITING = 4_000_000
"""Bytes of lines that wait for us before the server has to."""
LONGEST_LINE = 64_000_000
_STDOUT, _STDERR = 1, 2


class ServerProcess(asyncio.SubprocessProtocol):
    """Lines in, lines out. What it says on stderr goes to `on_stderr`, a line at a time."""

    def __init__(self, on_stderr: Callable[[str], None]) -> None:
        self._on_stderr = on_stderr
        self._reaper = Reaper.shared()
        self._mark = self._reaper.new_mark()
        self._partial = {_STDOUT: bytearray(), _STDERR: bytearray()}
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        self._arrived = asyncio.Event()
        self._can_write = asyncio.Event()
        self._can_write.set()
        self.exited = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._is_over = False

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        on_stderr: Callable[[str], None],
    ) -> ServerProcess:
        """OSError where there is no such program or folder."""
        self = cls(on_stderr)
        gate = () if marks_are_seen() else _GATE
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            *gate,
            *argv,
            cwd=cwd,
            env=marked(environment, self._mark, "mcp server"),
            start_new_session=True,
        )
        self._transport = transport
        self._reaper.watch(self.id)
        if gate:
            self._input.write(b"\n")
        return self

    @property
    def id(self) -> int:
        """The id of the process and of its group."""
        assert self._transport is not None
        return self._transport.get_pid()

    @property
    def exit_status(self) -> int | None:
        assert self._transport is not None
        return self._transport.get_returncode()

    async def read_line(self) -> bytes | None:
        """The next line of its output, None after the last."""
        while not self._lines:
            if self._is_over:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        line = self._lines.popleft()
        self._waiting -= len(line)
        if self._waiting <= _MOST_WAITING:
            self._pipe(_STDOUT, lambda pipe: pipe.resume_reading())
        return line

    async def write(self, line: bytes) -> None:
        """ConnectionCut where nobody reads any more."""
        await self._can_write.wait()
        if self._is_over or self._input.is_closing():
            raise ConnectionCut("The server has closed its input.")
        self._input.write(line + b"\n")

    async def stop(self) -> None:
        """Close its input, which asks it to end; then end all that is left of it."""
        assert self._transport is not None
        self._input.close()
        await self._exits_within(_LEAVE_GRACE)
        if not self.exited.is_set():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.id, signal.SIGTERM)
        with ThreadPoolExecutor(1) as thread:  # the loop's own may be closed before us
            left = partial(end_all, partial(living, self._mark, self.id), asked=self.id)
            await asyncio.get_running_loop().run_in_executor(thread, left)
        await self._exits_within(_LEAVE_GRACE)  # the loop has to hear of it as well
        self._transport.close()
        self._end()
        self._reaper.forget(self.id)

    async def _exits_within(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.exited.wait()

    # What the event loop tells.

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        held = self._partial[fd]
        searched = len(held)
        held += data
        if b"\n" in data:
            end = held.rindex(b"\n", searched) + 1
            for line in bytes(held[:end]).splitlines():
                self._take(fd, line)
            del held[:end]
        elif len(held) > LONGEST_LINE:
            held.clear()
            self._on_stderr(f"A line of more than {LONGEST_LINE:,} bytes was left out.")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if rest := bytes(self._partial.get(fd, b"")):
            self._take(fd, rest)
            self._partial[fd].clear()
        if fd != _STDERR:
            self._end()

    def process_exited(self) -> None:
        self.exited.set()
        # Output of its last moment may still be in the pipe; a child that holds it may be for ever.
        asyncio.get_running_loop().call_later(0.1, self._end)

    def pause_writing(self) -> None:
        self._can_write.clear()

    def resume_writing(self) -> None:
        self._can_write.set()

    def _take(self, fd: int, line: bytes) -> None:
        if fd == _STDERR:
            self._on_stderr(line.decode("utf-8", "replace"))
            return
        self._lines.append(line)
        self._waiting += len(line)
        self._arrived.set()
        if self._waiting > _MOST_WAITING:
            self._pipe(_STDOUT, lambda pipe: pipe.pause_reading())

    def _end(self) -> None:
        self._is_over = True
        self._arrived.set()
        self._can_write.set()

    @property
    def _input(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    def _pipe(self, fd: int, act: Callable[[asyncio.ReadTransport], None]) -> None:
        if self._transport is not None and (pipe := self._transport.get_pipe_transport(fd)):
            act(cast(asyncio.ReadTransport, pipe))
