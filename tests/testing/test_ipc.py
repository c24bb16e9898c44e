"""The doubles for IPC: no socket, the same behaviour."""

from __future__ import annotations

import pytest

from roo_code.errors import ConnectionFailed
from roo_code.ipc.wire import TaskEvent
from roo_code.testing.ipc import MemoryIpcClient, MemoryIpcServer
from tests.waiting import until


@pytest.mark.requirement("ipc:test:doubles")
async def test_commands_go_one_way_and_events_the_other() -> None:
    told: list[str] = []
    server = MemoryIpcServer()
    server.on("Connect", lambda id: told.append("Connect"))
    server.on("Disconnect", lambda id: told.append("Disconnect"))
    async with server:
        async with MemoryIpcClient(server) as client:
            assert client.is_ready
            assert server.clients == (client.client_id,)
            events = client.events()
            await client.send_command({"commandName": "ResumeTask", "data": "a"})
            server.broadcast(TaskEvent(event_name="taskCreated", payload=("a",)))
            assert (await anext(events)).payload == ("a",)
            await until(lambda: len(server.commands) == 1)
            client.forward(TaskEvent(event_name="taskIdle", payload=("b",)))
            await until(lambda: len(server.events) == 1)
            await events.aclose()
        await until(lambda: not server.clients)
    assert [command.data for command in server.commands] == ["a"]
    assert told == ["Connect", "Disconnect"]


async def test_a_client_waits_for_the_server_and_outlives_it() -> None:
    server = MemoryIpcServer()
    with pytest.raises(ConnectionFailed):
        await MemoryIpcClient(server, timeout=0).ready()
    client = MemoryIpcClient(server)
    client.connect()
    async with server:
        await client.ready()
    await until(lambda: not client.is_connected)
    await client.disconnect()
