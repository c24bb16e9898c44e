"""Genuine node-ipc peers at both ends, and Roo's published schemas over every frame of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.ipc.client import IpcClient
from roo_code.ipc.cline_message import QueuedMessage
from roo_code.ipc.server import IpcServer
from roo_code.ipc.task_view import TaskView
from roo_code.ipc.wire import EVENTS, TaskEvent
from roo_code.testing.scripted_provider import scripted_client
from tests.ipc.doors import HeldProvider, Program, open_door
from tests.ipc.node_peer import needs_node, node_peer
from tests.ipc.records import everything, records
from tests.ipc.test_host import DONE, PIXEL, Breaks, call
from tests.waiting import until

pytestmark = needs_node
CONTEXT = {"taskId": 7, "runId": 2, "mcpServer": "m", "userIntent": "u"}


def start(text: str = "Go.", **fields: Any) -> dict[str, Any]:
    return {"configuration": {"mode": "code"}, "text": text, **fields}


@pytest.mark.requirement("ipc:transport:framing")
async def test_a_node_client_drives_our_host_with_every_command(tmp_path: Path) -> None:
    held = HeldProvider(
        call("ask_followup_question", question="Which é💻?", follow_up=[{"text": "x" * 300_000}]),
        call("breaks", "b"), DONE, "And on.",
    )  # fmt: skip
    model = scripted_client(provider=held)
    socket = tmp_path / "s.sock"
    async with (
        open_door(tmp_path, lambda _: model, server=IpcServer(str(socket)), tools=(Breaks(),)),
        node_peer("client", socket) as peer,
    ):
        await peer.message("Ack")
        for name, answer in (("GetCommands", "commandsResponse"), ("GetModes", "modesResponse"),
                             ("GetModels", "modelsResponse")):  # fmt: skip
            peer.command(name)
            await peer.event(answer)
        peer.command("StartNewTask", data=start(images=[f"data:image/png;base64,{PIXEL}"]))
        id = (await peer.event("taskCreated"))[0]
        await held.asked.wait()
        peer.command("SendMessage", data={"text": "taken back"})
        queued = (await peer.event("queuedMessagesUpdated"))[1]
        peer.command("DeleteQueuedMessage", data=queued[0]["id"])
        assert await peer.event("queuedMessagesUpdated") == [id, []]
        peer.command("SetTaskContext", data=CONTEXT | {"rooTaskId": id})
        assert await peer.message("TaskContextConfirmation") == {"success": True}
        held.go_on.set()
        await peer.event("taskInteractive")
        peer.command("SendMessage", data={"text": "That é💻"})
        await peer.event("taskAskResponded")
        assert await peer.event("taskToolFailed") == [id, "custom_tool", "It broke."]
        assert (await peer.event("taskCompleted"))[0] == id
        await peer.event("taskIdle")
        peer.command("ResumeTask", data=id)
        await peer.event("taskFocused")
        held.go_on.clear()
        held.asked.clear()
        peer.command("SendMessage", data={"text": "More."})
        await peer.event("taskActive")
        await held.asked.wait()
        peer.command("CancelTask")
        assert await peer.event("taskAborted") == [id]
        peer.command("CloseTask")
        assert await peer.event("taskUnfocused") == [id]
        peer.command("ResumeTask", data="nobody")
        peer.emit({"type": "TaskCommand", "origin": "client", "data": {}})
        peer.command("GetModes")
        await peer.event("modesResponse")
        unknown = [p for p in peer.problems if p["data"]["type"] != "TaskContextConfirmation"]
        assert unknown == []
        assert {event.get("taskId") for event in peer.events} == {None, 7}


async def test_a_node_client_finds_a_server_that_comes_back(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    async with node_peer("client", socket) as peer:
        async with IpcServer(str(socket)):
            first = await peer.message("Ack")
        await peer.on("disconnect")
        async with IpcServer(str(socket)):
            assert (await peer.message("Ack"))["clientId"] != first["clientId"]
            peer.disconnect()
            await peer.on("disconnect")


@pytest.mark.requirement("ipc:event:message")
async def test_roos_schemas_accept_every_event_we_can_send(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    view = TaskView("t")
    events = [
        event for record in records(everything()) for event in (*view.show(record), *view.flush())
    ]
    queue = [QueuedMessage(timestamp=1, id="q", text="x")]
    lists: dict[str, Any] = {"commandsResponse": [], "modesResponse": [], "modelsResponse": {}}
    events += [TaskEvent(event_name=name, payload=(answer,)) for name, answer in lists.items()]
    events += [TaskEvent(event_name=name, task_id=3) for name in ("evalPass", "evalFail")]
    events.append(TaskEvent(event_name="queuedMessagesUpdated", payload=("t", queue)))
    simple = ("taskUnfocused", "taskActive", "taskInteractive", "taskResumable", "taskIdle")
    events += [TaskEvent(event_name=name, payload=("t",), task_id=7) for name in simple]
    assert {event.event_name for event in events} == set(EVENTS)
    async with IpcServer(str(socket)) as server, node_peer("client", socket) as peer:
        await peer.message("Ack")
        await until(lambda: bool(server.clients))
        for event in events:
            server.broadcast(event)
        server.broadcast(TaskEvent(event_name="taskIdle", payload=("the last",)))
        await peer.event("taskIdle", lambda payload: payload == ["the last"])
    assert peer.problems == []
    assert len(peer.events) == len(events) + 1
    changes = [e["payload"][0] for e in peer.events if e["eventName"] == "message"]
    assert {change["action"] for change in changes} == {"created", "updated"}
    assert any(change["message"].get("partial") is True for change in changes)
    assert "null" not in json.dumps(changes)


async def test_our_client_drives_a_node_server(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    async with node_peer("server", socket) as peer:
        await peer.on("serving")
        async with IpcClient(str(socket)) as client:
            program = Program(client)
            assert client.client_id == "0123456789ab"
            for name, data in (
                ("StartNewTask", start(images=["data:image/png;base64,aa"], newTab=True)),
                ("CancelTask", None), ("CloseTask", None), ("ResumeTask", "a"),
                ("SendMessage", {"text": "é💻" * 60_000}), ("GetCommands", None),
                ("GetModes", None), ("GetModels", None), ("DeleteQueuedMessage", "q"),
            ):  # fmt: skip
                await program.send(name, data)
                sent = await peer.message("TaskCommand")
                assert sent == {"commandName": name} | ({"data": data} if data is not None else {})
            heard: list[dict[str, Any]] = [
                {"eventName": "taskCreated", "payload": ["a"]},
                {"eventName": "taskCreated", "payload": []},
                {"eventName": "evalPass", "taskId": 3},
            ]
            for event in heard:
                peer.emit({"type": "TaskEvent", "origin": "server", "data": event})
            await program.event("evalPass")
            assert [event.event_name for event in program.heard] == ["taskCreated", "evalPass"]
        await peer.on("disconnect")
    assert peer.problems == []


async def test_our_host_brings_its_events_to_a_node_server(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    model = scripted_client(DONE)
    async with node_peer("server", socket) as peer:
        await peer.on("serving")
        async with open_door(tmp_path, lambda _: model, evaluation=IpcClient(str(socket))):
            peer.command("StartNewTask", data=start())
            await peer.event("taskCompleted")
    assert peer.problems == []
    assert {h["data"]["relayClientId"] for h in peer.heard if h["on"] == "message"} == {
        "0123456789ab"
    }
