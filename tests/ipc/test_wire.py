"""What may be said, and what is refused before anybody acts on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roo_code.ipc.wire import EvaluationContext, TaskCommand, TaskEvent, WireError, read_message

USAGE = {"totalTokensIn": 10, "totalTokensOut": 2, "totalCost": 0.001, "contextTokens": 12}
TOOLS = {"read_file": {"attempts": 1, "failures": 0}}


def frame(data: object, type: str = "message") -> bytes:
    return json.dumps({"type": type, "data": data}).encode()


def command(name: str, **fields: Any) -> bytes:
    data = {"commandName": name, **fields}
    return frame({"type": "TaskCommand", "origin": "client", "clientId": "x", "data": data})


def event(name: str, **fields: Any) -> bytes:
    return frame({"type": "TaskEvent", "origin": "server", "data": {"eventName": name, **fields}})


@pytest.mark.parametrize(
    "sent",
    [
        command("StartNewTask", data={"configuration": {}, "text": ""}),
        command(
            "StartNewTask", data={"configuration": {"x": 1}, "text": "a", "images": [], "z": 1}
        ),
        command("CancelTask"),
        command("CloseTask", data="an id"),
        command("CancelTask", data=7),
        command("SendMessage", data={}),
        command("GetModes"),
        command("DeleteQueuedMessage", data="q1"),
        event("taskCompleted", payload=["a", USAGE, TOOLS, {"isSubtask": False}]),
        event("taskTokenUsageUpdated", payload=["a", USAGE | {"extra": 1}, {}]),
        event("evalPass", taskId=3),
        event("taskCreated", payload=["a"], taskId=3),
    ],
)
def test_what_roos_schemas_accept_is_accepted(sent: bytes) -> None:
    assert read_message(sent) is not None
    assert read_message(sent + b"\n") is not None


@pytest.mark.requirement("ipc:message:schema")
@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (command("Nope"), "no command 'Nope'"),
        (command("StartNewTask", data={"text": "a"}), "configuration"),
        (command("StartNewTask", data={"configuration": {}}), "text"),
        (
            command("StartNewTask", data={"configuration": {}, "text": "a", "images": None}),
            "images",
        ),
        (command("StartNewTask", data={"configuration": [], "text": "a"}), "configuration"),
        (command("StartNewTask", data={"configuration": {}, "text": "a", "newTab": "y"}), "newTab"),
        (command("SendMessage"), "has no data"),
        (command("SendMessage", data={"text": 7}), "text"),
        (command("ResumeTask", data=7), "Expected `str`"),
        (command("SetTaskContext", data={"taskId": "7"}), "taskId"),
        (event("modeChanged", payload=["code"]), "no event"),
        (event("taskCreated"), "no payload"),
        (event("taskCreated", payload=["a", "b"]), "length"),
        (event("taskCompleted", payload=["a", USAGE, TOOLS]), "length"),
        (event("taskTokenUsageUpdated", payload=["a", USAGE, {"x": TOOLS["read_file"]}]), "enum"),
        (event("evalPass"), "no taskId"),
        (event("taskCreated", payload=["a"], taskId="3"), "taskId"),
        (frame({"type": "TaskCommand", "origin": "client", "data": {}}), "clientId"),
        (frame({"type": "Connect", "origin": "server", "data": {}}), "Connect"),
        (frame({}), "type"),
        (frame("str"), "Expected `object`"),
        (b"not json", "JSON"),
        (b"", "truncated"),
        (b'{"type":"\xff","data":1}', "utf-8"),
        (b'{"type":"message","data":' + b"[" * 100_000, "recursion"),
    ],
)
def test_what_they_refuse_is_refused_and_said(sent: bytes, problem: str) -> None:
    with pytest.raises(WireError, match=problem):
        read_message(sent)


def test_another_event_name_of_node_ipc_is_ignored() -> None:
    assert read_message(frame({"type": "Ack"}, type="other")) is None


def test_an_error_holds_nothing_of_the_content() -> None:
    key = "sk-very-secret"
    sent = command("StartNewTask", data={"configuration": {"apiKey": key}, "text": 7})
    with pytest.raises(WireError) as caught:
        read_message(sent)
    error: BaseException | None = caught.value
    while error is not None:
        assert key not in repr(error)
        error = error.__cause__
    ok = read_message(command("StartNewTask", data={"configuration": {"apiKey": key}, "text": ""}))
    assert ok is not None
    assert key not in repr(ok)


def test_an_evaluations_context_is_read() -> None:
    data = {"taskId": 7, "rooTaskId": "a", "runId": 2, "mcpServer": "m", "userIntent": "u"}
    message = read_message(command("SetTaskContext", data=data))
    assert message is not None
    assert message.data == TaskCommand(
        command_name="SetTaskContext",
        data=EvaluationContext(
            task_id=7, roo_task_id="a", run_id=2, mcp_server="m", user_intent="u"
        ),
    )


def test_a_growing_message_is_told_apart_from_what_is_said_once() -> None:
    def read(partial: bool | None) -> TaskEvent:
        message = {"ts": 1, "type": "say", "say": "text"} | (
            {} if partial is None else {"partial": partial}
        )
        change = {"taskId": "a", "action": "updated", "message": message}
        found = read_message(event("message", payload=[change]))
        assert found is not None
        return found.data

    assert [read(partial).is_partial for partial in (True, False, None)] == [True, False, False]
