"""Our IPC at one end: `python -m benchmarks.ipc_peer server|client PATH PINGS EVENTS`."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from roo_code.ipc.client import IpcClient
from roo_code.ipc.cline_message import ClineMessage, MessageChange
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import TaskCommand, TaskEvent

_MESSAGE = ClineMessage(ts=1760000000000, kind="say", say="text", text="word " * 60, partial=True)
_CHANGE = MessageChange(
    task_id="0196f5a1-0000-7000-8000-000000000001", action="updated", message=_MESSAGE
)
_UPDATE = TaskEvent(event_name="message", payload=(_CHANGE,))
_MODES = TaskEvent(event_name="modesResponse", payload=([],))


async def serve(path: str) -> None:
    server = IpcServer(path)

    def act(client_id: str, command: TaskCommand) -> None:
        if command.command_name == "GetModes":
            server.send(client_id, _MODES)
        else:
            for _ in range(int(command.data)):
                server.send(client_id, _UPDATE)  # not broadcast: no update may be left out here

    server.on("TaskCommand", act)
    await server.start()
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def ask(path: str, pings: int, events: int) -> None:
    client = IpcClient(path)
    answered = asyncio.Event()
    done = asyncio.Event()
    count = 0

    def hear(event: TaskEvent) -> None:
        nonlocal count
        if event.event_name == "modesResponse":
            answered.set()
        else:
            count += 1
            if count == events:
                done.set()

    client.on("TaskEvent", hear)
    await client.ready()
    micros: list[float] = []
    for _ in range(pings):
        answered.clear()
        asked = time.perf_counter_ns()
        await client.send_command(TaskCommand(command_name="GetModes"))
        await answered.wait()
        micros.append((time.perf_counter_ns() - asked) / 1000)
    began = time.perf_counter()
    await client.send_command(TaskCommand(command_name="ResumeTask", data=str(events)))
    await done.wait()
    seconds = time.perf_counter() - began
    sys.stdout.write(json.dumps({"micros": micros, "seconds": seconds}) + "\n")
    sys.stdout.flush()
    await client.disconnect()


if __name__ == "__main__":
    role, path, *numbers = sys.argv[1:]
    asyncio.run(serve(path) if role == "server" else ask(path, int(numbers[0]), int(numbers[1])))
