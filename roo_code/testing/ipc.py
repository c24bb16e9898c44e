"""An IPC server and clients without a socket, for tests: the same interface, the same checks."""

from __future__ import annotations

import asyncio

from roo_code.ipc.client import IpcClient
from roo_code.ipc.link import Pipe
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import TaskCommand, TaskEvent


class _End:
    """One end of a pipe in memory."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self.other: _End | None = None
        self.is_closed = False

    async def read(self) -> bytes:
        return b"" if self.is_closed and self._arrived.empty() else await self._arrived.get()

    def write(self, data: bytes) -> None:
        assert self.other is not None
        self.other.arrive(data)

    def arrive(self, data: bytes) -> None:
        self._arrived.put_nowait(data)

    @property
    def unsent(self) -> int:
        return 0

    async def drained(self) -> None:
        """Whatever is written has arrived."""

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.arrive(b"")
            assert self.other is not None
            self.other.close()


class MemoryIpcServer(IpcServer):
    """Serves `MemoryIpcClient`s, and keeps what they said."""

    def __init__(self) -> None:
        super().__init__("(in memory)")
        self._is_open = False
        self.commands: list[TaskCommand] = []
        self.events: list[TaskEvent] = []
        """Those that hosts have brought here."""
        self.on("TaskCommand", lambda _, command: self.commands.append(command))
        self.on("TaskEvent", lambda _, event: self.events.append(event))

    async def start(self) -> None:
        self._is_open = True

    async def aclose(self) -> None:
        self._is_open = False
        await super().aclose()

    def accept(self) -> Pipe:
        """A client's end of a new connection; OSError if nobody serves."""
        if not self._is_open:
            raise ConnectionRefusedError("The server in memory is not started.")
        ours, theirs = _End(), _End()
        ours.other, theirs.other = theirs, ours
        self._keep(ours)
        return theirs


class MemoryIpcClient(IpcClient):
    def __init__(self, server: MemoryIpcServer, *, timeout: float | None = 30) -> None:
        super().__init__(server.path, timeout=timeout, retry_seconds=0)
        self._server = server

    async def _open(self) -> Pipe:
        return self._server.accept()
