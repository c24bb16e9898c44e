"""IpcDoor: a host's tasks behind a socket, an evaluation's server, or both."""

from __future__ import annotations

from types import TracebackType

from msgspec import Struct

from roo_code.events import EventRecord
from roo_code.ipc.client import IpcClient
from roo_code.ipc.host import IpcHost, Surroundings
from roo_code.ipc.opened_task import Pace
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import Confirmation, TaskCommand, TaskEvent
from roo_code.task.host import TaskHost


class _ServedClient(Struct, frozen=True):
    server: IpcServer
    id: str

    def send(self, event: TaskEvent) -> None:
        self.server.send(self.id, event)

    def confirm(self, confirmation: Confirmation) -> None:
        self.server.confirm(self.id, confirmation)


class _Evaluation(Struct, frozen=True):
    client: IpcClient

    def send(self, event: TaskEvent) -> None:
        self.client.forward(event)

    def confirm(self, confirmation: Confirmation) -> None:
        self.client.confirm(confirmation)


class IpcDoor:
    """Every event goes to every client, and to the evaluation. Open while it is entered."""

    def __init__(
        self,
        host: TaskHost,
        around: Surroundings,
        *,
        server: IpcServer | None = None,
        evaluation: IpcClient | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._server = server
        self._evaluation = evaluation
        self._tasks = IpcHost(host, around, self._publish, pace)

    async def __aenter__(self) -> IpcDoor:
        if self._evaluation is not None:
            self._evaluation.on("TaskCommand", self._ask_from_evaluation)
            await self._evaluation.ready()  # or the first events would be lost
        if self._server is not None:
            self._server.on("TaskCommand", self._ask)
            await self._server.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._tasks.aclose()
        if self._server is not None:
            await self._server.aclose()
        if self._evaluation is not None:
            await self._evaluation.disconnect()

    def note(self, record: EventRecord) -> None:
        """A record of any task that is driven here, whoever began it."""
        self._tasks.note(record)

    async def _ask(self, client_id: str, command: TaskCommand) -> None:
        assert self._server is not None
        await self._tasks.handle(command, _ServedClient(self._server, client_id))

    async def _ask_from_evaluation(self, command: TaskCommand) -> None:
        assert self._evaluation is not None
        await self._tasks.handle(command, _Evaluation(self._evaluation))

    def _publish(self, event: TaskEvent) -> None:
        if self._server is not None:
            self._server.broadcast(event)
        if self._evaluation is not None:
            self._evaluation.forward(event)
