"""IpcClient: the other end of the socket, for programs and for hosts that bring their events."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

import msgspec

from roo_code.errors import ConnectionFailed
from roo_code.ipc.emitter import Emitter
from roo_code.ipc.frames import to_frame
from roo_code.ipc.link import MOST_UNSENT, Link, Pipe
from roo_code.ipc.socket_path import pipe_name
from roo_code.ipc.socket_pipe import SocketPipe
from roo_code.ipc.wire import COMMANDS, AckData, Confirmation, IpcMessage, TaskCommand, TaskEvent

RETRY_SECONDS = 0.5
_MOST_WAITING = 1000
_SEND_SECONDS = 2.0
_log = logging.getLogger(__name__)


class IpcClient(Emitter):
    """Connects when it is entered, or at the first command; tries again whenever it loses touch.

    Emits `Connect`, `Ack` with its data, `TaskEvent` with the event, `TaskContextConfirmation`
    and `Disconnect`; a server that sends commands is heard as `TaskCommand`.
    """

    def __init__(
        self,
        path: str,
        *,
        timeout: float | None = 30,
        retry_seconds: float = RETRY_SECONDS,
        most_unsent: int = MOST_UNSENT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.path = path
        self._clock = clock
        self._timeout = timeout
        """Seconds without a connection after which it gives up; None: never."""
        self._retry_seconds = retry_seconds
        self._most_unsent = most_unsent
        self._link: Link | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self.client_id: str | None = None
        """By the server's last Ack."""

    async def __aenter__(self) -> IpcClient:
        await self.ready()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.disconnect()

    @property
    def is_connected(self) -> bool:
        return self._link is not None

    @property
    def is_ready(self) -> bool:
        """Whether the server has said by which id it knows us."""
        return self._ready.is_set()

    def connect(self) -> None:
        """Begin to connect; `ready` tells when it is done."""
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())

    async def ready(self) -> None:
        """Until commands can be sent.

        Raises:
            ConnectionFailed: Nobody has answered for too long.
        """
        self.connect()
        assert self._keeping is not None
        if self.is_ready:
            return
        waiting = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({waiting, self._keeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if not self.is_ready:
            await self._keeping  # says why
            raise ConnectionFailed(f"The connection to {self.path!r} was closed.")

    async def disconnect(self) -> None:
        if self._link is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_SEND_SECONDS):
                    await self._link.drained()
        keeping, self._keeping = self._keeping, None
        if keeping is not None:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await asyncio.sleep(0)  # the transport closes its socket one turn later

    async def send_command(self, command: TaskCommand | Mapping[str, Any]) -> None:
        """With our id filled in, once there is a connection.

        Raises:
            ValueError: The command is none, or its data are wrong.
        """
        if not isinstance(command, TaskCommand):
            command = msgspec.convert(command, TaskCommand)
        name = command.command_name
        if name not in COMMANDS:
            raise ValueError(f"There is no command {name!r}; there are {', '.join(COMMANDS)}.")
        msgspec.convert(command.data, COMMANDS[name])
        await self.ready()
        self._send(
            IpcMessage(kind="TaskCommand", origin="client", client_id=self.client_id, data=command)
        )

    async def send_task_message(self, text: str = "", images: tuple[str, ...] = ()) -> None:
        data = {"text": text, **({"images": list(images)} if images else {})}
        await self.send_command({"commandName": "SendMessage", "data": data})

    async def delete_queued_message(self, message_id: str) -> None:
        await self.send_command({"commandName": "DeleteQueuedMessage", "data": message_id})

    def forward(self, event: TaskEvent) -> None:
        """Bring an event of ours to a server that evaluates; without a connection it is lost."""
        message = IpcMessage(
            kind="TaskEvent", origin="server", relay_client_id=self.client_id, data=event
        )
        if self.is_ready:
            self._send(message, again_later=event.is_partial)

    def confirm(self, confirmation: Confirmation) -> None:
        """Answer a SetTaskContext that came from the server."""
        self._send(IpcMessage(kind="TaskContextConfirmation", origin="server", data=confirmation))

    def events(self) -> AsyncGenerator[TaskEvent]:
        """What happens from now on, whatever connection it comes by."""
        arrived: asyncio.Queue[TaskEvent] = asyncio.Queue(maxsize=_MOST_WAITING)
        self.on("TaskEvent", arrived.put)

        async def taken() -> AsyncGenerator[TaskEvent]:
            try:
                while True:
                    yield await arrived.get()
            finally:
                self.off("TaskEvent", arrived.put)

        return taken()

    def _send(self, message: IpcMessage, *, again_later: bool = False) -> None:
        if self._link is not None:
            self._link.send(to_frame(message), again_later=again_later)

    async def _keep(self) -> None:
        """Be connected; if that is lost, be so again."""
        while True:
            pipe = await self._connected()
            try:
                await self._talk(Link(pipe, "the server", most_unsent=self._most_unsent))
            finally:
                pipe.close()

    async def _talk(self, link: Link) -> None:
        self._link = link
        await self.emit("Connect")
        try:
            async for message in link.messages():
                await self._hear(message)
        finally:
            self._link = None
            self._ready.clear()
            await self.emit("Disconnect")

    async def _hear(self, message: IpcMessage) -> None:
        if message.kind == "Ack":
            ack: AckData = message.data
            self.client_id = ack.client_id
            self._ready.set()
        await self.emit(message.kind, message.data)

    async def _connected(self) -> Pipe:
        started, tried = self._clock(), False
        while True:
            try:
                return await self._open()
            except OSError as error:
                if self._timeout is not None and self._clock() - started >= self._timeout:
                    reason = f"Nobody serves {self.path!r}: {error.strerror or error}."
                    _log.warning(reason)
                    raise ConnectionFailed(reason) from error
                if not tried:
                    _log.warning("Nobody serves %r yet; trying again.", self.path)
                tried = True
                await asyncio.sleep(self._retry_seconds)

    async def _open(self) -> Pipe:
        loop = asyncio.get_running_loop()
        if sys.platform == "win32":  # pragma: no cover - untested: we have no Windows
            _, pipe = await loop.create_pipe_connection(SocketPipe, pipe_name(self.path))  # type: ignore[attr-defined]
        else:
            _, pipe = await loop.create_unix_connection(SocketPipe, self.path)
        return pipe
