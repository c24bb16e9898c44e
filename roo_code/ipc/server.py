"""IpcServer: serves a socket as node-ipc does; what sits behind it is somebody else's."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from contextlib import suppress
from types import TracebackType

from roo_code.ipc.emitter import Emitter
from roo_code.ipc.frames import to_frame
from roo_code.ipc.link import MOST_UNSENT, Link, Pipe
from roo_code.ipc.socket_path import IS_WINDOWS, SocketFile, listen, peer_uid, pipe_name
from roo_code.ipc.socket_pipe import SocketPipe
from roo_code.ipc.wire import AckData, Confirmation, IpcMessage, TaskEvent

MOST_CLIENTS = 100
_SEND_SECONDS = 2.0
"""In which clients must take what was sent before the end."""
_log = logging.getLogger(__name__)


class IpcServer(Emitter):
    """Emits `Connect` and `Disconnect` with the client's id, `TaskCommand` with id and command.

    A host that brings its events here, as to an evaluation, is heard as `TaskEvent`.
    """

    def __init__(
        self, path: str, *, uid: int | None = None, most_unsent: int = MOST_UNSENT
    ) -> None:
        super().__init__()
        self.path = path
        self._uid = os.getuid() if uid is None and not IS_WINDOWS else uid
        self._most_unsent = most_unsent
        self._links: dict[str, Link] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._listening: socket.socket | None = None
        self._server: asyncio.AbstractServer | None = None
        self._file: SocketFile | None = None
        self._is_closed = False

    async def __aenter__(self) -> IpcServer:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        if sys.platform == "win32":  # pragma: no cover - untested: we have no Windows
            await self._start_pipe()
            return
        self._listening = await asyncio.to_thread(listen, self.path)
        self._file = SocketFile(self.path)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._new_pipe, sock=self._listening)

    async def _start_pipe(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.start_serving_pipe(self._new_pipe, pipe_name(self.path))  # type: ignore[attr-defined]

    def _new_pipe(self) -> SocketPipe:
        return SocketPipe(self._accept)

    async def aclose(self) -> None:
        """Hang up on everybody, and leave no file behind."""
        self._is_closed = True
        self.remove_file()
        if self._listening is not None:
            # Accept no more, and see to those accepted before: closed meanwhile they would leak.
            asyncio.get_running_loop().remove_reader(self._listening)
            await _turns()
        if self._server is not None:
            self._server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SEND_SECONDS):
                for link in list(self._links.values()):
                    await link.drained()
        for link in list(self._links.values()):
            link.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await _turns()

    def remove_file(self) -> None:
        """For an end that waits for nothing else."""
        if self._file is not None:
            self._file.remove()

    @property
    def clients(self) -> tuple[str, ...]:
        return tuple(self._links)

    def broadcast(self, event: TaskEvent) -> None:
        """To every client. A slow one misses updates of messages that still grow."""
        frame = to_frame(IpcMessage(kind="TaskEvent", origin="server", data=event))
        for link in list(self._links.values()):
            link.send(frame, again_later=event.is_partial)

    def send(self, client_id: str, event: TaskEvent) -> None:
        self._send(client_id, IpcMessage(kind="TaskEvent", origin="server", data=event))

    def confirm(self, client_id: str, confirmation: Confirmation) -> None:
        message = IpcMessage(kind="TaskContextConfirmation", origin="server", data=confirmation)
        self._send(client_id, message)

    def _send(self, client_id: str, message: IpcMessage) -> None:
        if link := self._links.get(client_id):
            link.send(to_frame(message))

    def _accept(self, pipe: SocketPipe) -> None:
        if self._is_closed or not self._may_connect(pipe.socket):
            pipe.close()
        else:
            self._keep(pipe)

    def _keep(self, pipe: Pipe) -> None:
        serving = asyncio.create_task(self.serve(pipe))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)
        serving.add_done_callback(lambda _: pipe.close())  # it may never have begun

    def _may_connect(self, connected: socket.socket | None) -> bool:
        if len(self._links) >= MOST_CLIENTS:
            _log.warning("a client was refused: there are %d already", MOST_CLIENTS)
            return False
        if connected is None or IS_WINDOWS:
            return True
        user = peer_uid(connected)
        if user not in (None, self._uid):
            _log.warning("a client was refused: it is of user %s, not %s", user, self._uid)
            return False
        return True

    async def serve(self, pipe: Pipe) -> None:
        """One client, from the Ack to its end."""
        client_id = secrets.token_hex(6)
        link = Link(pipe, f"client {client_id}", most_unsent=self._most_unsent)
        ack = AckData(client_id=client_id, pid=os.getpid(), ppid=os.getppid())
        try:
            link.send(to_frame(IpcMessage(kind="Ack", origin="server", data=ack)))
            self._links[client_id] = link
            await self.emit("Connect", client_id)
            async for message in link.messages():
                if message.kind == "TaskCommand" or message.relay_client_id is not None:
                    await self.emit(message.kind, client_id, message.data)
        finally:
            self._links.pop(client_id, None)
            link.close()
            await self.emit("Disconnect", client_id)


async def _turns() -> None:
    """As many of the event loop as it takes to show us a connection, or to close its socket."""
    for _ in range(5):
        await asyncio.sleep(0)
