"""IpcClient against a real socket: connecting, losing touch, saying and hearing."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import pytest

from roo_code.errors import ConnectionFailed
from roo_code.ipc.client import IpcClient
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import Confirmation, TaskCommand, TaskEvent
from tests.waiting import until

HI = TaskEvent(event_name="taskCreated", payload=("a",))


@pytest.mark.requirement("ipc:command:send")
async def test_a_command_goes_out_with_the_clients_id(tmp_path: Path) -> None:
    async with IpcServer(str(tmp_path / "s.sock")) as server:
        heard: list[tuple[str, TaskCommand]] = []
        server.on("TaskCommand", lambda id, command: heard.append((id, command)))
        client = IpcClient(server.path)
        await client.send_command({"commandName": "ResumeTask", "data": "task-123"})
        await client.send_task_message("more")
        await client.delete_queued_message("q")
        await until(lambda: len(heard) == 3)
        assert {id for id, _ in heard} == {client.client_id} == set(server.clients)
        assert heard[0][1] == TaskCommand(command_name="ResumeTask", data="task-123")
        assert heard[1][1].data.text == "more"
        await client.disconnect()


@pytest.mark.parametrize(
    "command",
    [{"commandName": "Nope"}, {"commandName": "SendMessage", "data": 7}, {"data": "x"}],
)
async def test_a_command_that_is_wrong_is_not_sent(
    tmp_path: Path, command: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=r"command|Expected"):
        await IpcClient(str(tmp_path / "s.sock")).send_command(command)


@pytest.mark.requirement("ipc:connect:events")
async def test_both_ends_tell_of_connecting_and_parting(tmp_path: Path) -> None:
    told: list[str] = []
    async with IpcServer(str(tmp_path / "s.sock")) as server:
        ids: list[tuple[str, str]] = []
        server.on("Connect", lambda id: ids.append(("Connect", id)))
        server.on("Disconnect", lambda id: ids.append(("Disconnect", id)))
        client = IpcClient(server.path)
        for name in ("Connect", "Disconnect"):
            client.on(name, lambda name=name: told.append(name))
        client.on("Ack", lambda ack: told.append(f"Ack {ack.client_id}"))
        async with client:
            assert client.is_connected
            assert client.is_ready
            id = client.client_id
        await until(lambda: len(ids) == 2)
        assert told == ["Connect", f"Ack {id}", "Disconnect"]
        assert ids == [("Connect", id), ("Disconnect", id)]
        assert not client.is_connected


async def test_events_come_as_they_were_sent(tmp_path: Path) -> None:
    async with IpcServer(str(tmp_path / "s.sock")) as server, IpcClient(server.path) as client:
        events = client.events()
        confirmed: list[Confirmation] = []
        client.on("TaskContextConfirmation", confirmed.append)
        server.confirm(server.clients[0], Confirmation(success=False, error="no"))
        server.broadcast(HI)
        assert await anext(events) == HI
        assert confirmed == [Confirmation(success=False, error="no")]
        await events.aclose()


@pytest.mark.requirement("ipc:connect:timeout-retry")
async def test_it_tries_again_and_gives_up_after_thirty_seconds(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sock")
    ticks = count(step=0.5)
    client = IpcClient(path, retry_seconds=0, clock=lambda: next(ticks))
    with pytest.raises(ConnectionFailed, match="Nobody serves"):
        await client.ready()
    assert next(ticks) == 30.5
    await client.disconnect()
    hasty = IpcClient(path, timeout=0)
    with pytest.raises(ConnectionFailed):
        await hasty.ready()
    await hasty.disconnect()
    patient = IpcClient(path, retry_seconds=0.01)
    patient.connect()
    await asyncio.sleep(0)
    async with IpcServer(path):
        await patient.ready()
        await patient.disconnect()


async def test_after_a_loss_it_is_known_by_a_new_id(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sock")
    lost = asyncio.Event()
    client = IpcClient(path, retry_seconds=0.01)
    client.on("Disconnect", lost.set)
    async with IpcServer(path):
        await client.ready()
        first = client.client_id
    await lost.wait()
    async with IpcServer(path) as second:
        await client.ready()
        assert client.client_id != first
        assert second.clients == (client.client_id,)
        await client.disconnect()


async def test_a_host_brings_its_events_to_a_server_and_hears_its_commands(tmp_path: Path) -> None:
    async with IpcServer(str(tmp_path / "s.sock")) as server, IpcClient(server.path) as host:
        brought: list[tuple[str, TaskEvent]] = []
        server.on("TaskEvent", lambda id, event: brought.append((id, event)))
        host.forward(HI)
        await until(lambda: len(brought) == 1)
        assert brought == [(host.client_id, HI)]
