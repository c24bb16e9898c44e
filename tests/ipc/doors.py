"""A scripted host behind a door, for programs to knock at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roo_code.approval_values import ApprovalSettings
from roo_code.client import RooClient
from roo_code.events import TaskSpec
from roo_code.ipc.client import IpcClient
from roo_code.ipc.cline_message import ClineMessage, ModeName, SlashCommand
from roo_code.ipc.door import IpcDoor
from roo_code.ipc.host import Surroundings
from roo_code.ipc.opened_task import Pace
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import Confirmation, NewTask, TaskCommand, TaskEvent
from roo_code.providers.base import ModelRequest
from roo_code.stream import StreamChunk
from roo_code.task.task import TaskSetup
from roo_code.testing.ipc import MemoryIpcClient, MemoryIpcServer
from roo_code.testing.scripted_provider import Reply, ScriptedProvider
from roo_code.tools import AnyTool
from tests.hosts import Hosted, hosted
from tests.waiting import until


class HeldProvider(ScriptedProvider):
    """Says nothing before it may, but for the first few replies."""

    def __init__(self, *replies: Reply, free: int = 0) -> None:
        super().__init__(*replies)
        self._free = free
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        if len(self.requests) >= self._free:
            self.asked.set()
            await self.go_on.wait()
        async for chunk in super().stream(request):
            yield chunk


class Program:
    """A client that keeps what it hears."""

    def __init__(self, client: IpcClient) -> None:
        self.client = client
        self.heard: list[TaskEvent] = []
        self.confirmed: list[Confirmation] = []
        self._seen = 0
        client.on("TaskEvent", self.heard.append)
        client.on("TaskContextConfirmation", self.confirmed.append)

    async def send(self, name: str, data: object = None) -> None:
        await self.client.send_command(TaskCommand(command_name=name, data=data))

    async def start(self, text: str = "Go.", **fields: Any) -> str:
        """The id of the task."""
        await self.client.send_command(
            {"commandName": "StartNewTask", "data": {"configuration": {}, "text": text, **fields}}
        )
        return (await self.event("taskCreated"))[0]

    async def event(self, name: str, fits: Callable[[Any], bool] = lambda payload: True) -> Any:
        """The payload of the next event of this name that fits, of those not looked at yet."""
        found: list[Any] = []

        def has_come() -> bool:
            while not found and self._seen < len(self.heard):
                event = self.heard[self._seen]
                self._seen += 1
                if event.event_name == name and fits(event.payload):
                    found.append(event.payload)
            return bool(found)

        await until(has_come)
        return found[0]

    async def message(self, **wanted: Any) -> ClineMessage:
        """The next message with these fields."""

        def fits(payload: Any) -> bool:
            message = payload[0].message
            return all(getattr(message, field) == value for field, value in wanted.items())

        return (await self.event("message", fits))[0].message

    def names(self, task_id: str = "") -> list[str]:
        return [
            event.event_name
            for event in self.heard
            if event.event_name != "message"
            and (not task_id or (event.payload or ("",))[0] == task_id)
        ]


AT_ONCE = Pace(partial_seconds=0, status_seconds=0)


@dataclass
class Doorstep:
    hosted: Hosted
    door: IpcDoor
    started: dict[str, NewTask] = field(default_factory=dict[str, NewTask])
    forgotten: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def open_door(
    folder: Path,
    client: Callable[[TaskSetup], RooClient],
    *,
    server: IpcServer | None = None,
    evaluation: IpcClient | None = None,
    tools: tuple[AnyTool, ...] = (),
    level: str = "all",
) -> AsyncGenerator[Doorstep]:
    async with hosted(folder, client, tools) as host:
        started: dict[str, NewTask] = {}
        forgotten: list[str] = []

        def make_spec(task_id: str, task: NewTask) -> TaskSpec:
            started[task_id] = task
            return host.spec(task.text, approval=ApprovalSettings.from_dict({"level": level}))

        async def models() -> dict[str, dict[str, Any]]:
            return {"m": {"contextWindow": 1000, "supportsPromptCache": False}}

        around = Surroundings(
            make_spec=make_spec,
            forget=forgotten.append,
            attend=host.executor.attend,
            leave=host.executor.leave,
            commands=lambda: [SlashCommand(name="deploy", source="project")],
            modes=lambda: [ModeName(slug="code", name="💻 Code")],
            models=models,
        )
        door = IpcDoor(host.host, around, server=server, evaluation=evaluation, pace=AT_ONCE)
        async with door:
            yield Doorstep(host, door, started, forgotten)


@dataclass
class Joined(Doorstep):
    program: Program = field(kw_only=True)
    server: MemoryIpcServer = field(kw_only=True)


@asynccontextmanager
async def joined(
    folder: Path, *clients: RooClient, tools: tuple[AnyTool, ...] = (), level: str = "all"
) -> AsyncGenerator[Joined]:
    """A program at a door in memory; the first task has the first of these models, and so on."""
    by_task: dict[str, RooClient] = {}

    def client(setup: TaskSetup) -> RooClient:
        return by_task.setdefault(setup.task_id, clients[min(len(by_task), len(clients) - 1)])

    server = MemoryIpcServer()
    async with (
        open_door(folder, client, server=server, tools=tools, level=level) as step,
        MemoryIpcClient(server) as connected,
    ):
        yield Joined(
            step.hosted,
            step.door,
            step.started,
            step.forgotten,
            program=Program(connected),
            server=server,
        )
