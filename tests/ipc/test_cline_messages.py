"""The log as Roo's messages: one `ts` for each, from its first piece to its last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from roo_code.events import (
    ApprovalRequested,
    Event,
    ReplyRestarted,
    RunCompleted,
    TaskCreated,
    TextDelta,
    ToolOutput,
    TurnStarted,
)
from roo_code.ipc.cline_message import Ask, ClineMessage, Say
from roo_code.ipc.cline_messages import ClineMessages, cline_messages
from roo_code.ipc.drafts import MOST_OUTPUT
from roo_code.ipc.frames import to_frame
from roo_code.ipc.task_view import TaskView
from roo_code.ipc.wire import IpcMessage, TaskEvent, read_message
from tests.ipc.records import CALLS, SPEC, everything, made, records, reply, tool_call


def told(events: Sequence[Event]) -> list[ClineMessage]:
    return cline_messages(records(events))


def shown(message: ClineMessage) -> tuple[str, str]:
    return message.ask or message.say or "", message.text or ""


def test_a_stored_log_without_its_pieces_tells_the_same() -> None:
    whole = everything()
    stored = [event for event in whole if event.durable]
    cut_off = {"half a", '{"tool":"readFile"}'}  # pieces that nothing came of
    seen = [shown(m) for m in told(whole) if m.text not in cut_off]
    assert sorted(shown(m) for m in told(stored)) == sorted(seen)


def test_a_message_keeps_its_ts_and_grows() -> None:
    view = ClineMessages()
    events: list[Event] = [TaskCreated(spec=SPEC), TurnStarted(turn=1), TextDelta(text="Hel")]
    first, second, third = records([*events, TextDelta(text="lo"), reply(text="Hello")])[2:]
    for record in records(events)[:2]:
        view.show(record)
    assert view.show(first) == []
    assert view.has_news
    created = view.flush()[0]
    assert (created.action, created.message.text, created.message.partial) == (
        "created",
        "Hel",
        True,
    )
    assert not view.has_news
    assert view.show(second) == []
    final = view.show(third)
    texts = [
        (c.action, c.message.text, c.message.partial) for c in final if c.message.say == "text"
    ]
    assert texts == [("updated", "Hello", True), ("updated", "Hello", False)]
    assert {c.message.ts for c in final if c.message.say == "text"} == {created.message.ts}


def test_no_two_messages_have_one_ts_and_none_is_left_partial() -> None:
    view = ClineMessages()
    created: list[float] = []
    state: dict[float, ClineMessage] = {}
    for record in records(everything()):
        for change in (*view.show(record), *view.flush()):
            if change.action == "created":
                created.append(change.message.ts)
            else:
                assert change.message.ts in state
            state[change.message.ts] = change.message
    assert len(created) == len(set(created))
    assert [m for m in state.values() if m.partial] == []


def test_a_reply_that_begins_anew_replaces_what_was_shown() -> None:
    messages = told(
        [TaskCreated(spec=SPEC), TurnStarted(turn=1), TextDelta(text="wrong"), ReplyRestarted(),
         TextDelta(text="right")]
    )  # fmt: skip
    assert [m.text for m in messages if m.say == "text"] == ["Go.", "right"]


def test_each_call_is_asked_as_roo_asks() -> None:
    asked: dict[str, dict[str, Any]] = {}
    for name, input in CALLS:
        message = next(m for m in told([TaskCreated(spec=SPEC), *made(name, input)]) if m.ask)
        text = message.text or ""
        asked[name] = {"ask": message.ask} | (json.loads(text) if text[:1] == "{" else {"": text})
        assert message.is_answered
    assert asked["read_file"] == {"ask": "tool", "tool": "readFile", "path": "a.py", "startLine": 3}
    assert asked["execute_command"] == {"ask": "command", "": "make"}
    assert asked["list_files"]["tool"] == "listFilesRecursive"
    assert asked["search_files"] == {
        "ask": "tool",
        "tool": "searchFiles",
        "path": ".",
        "regex": "x",
    }
    assert asked["mcp--files--read"] == {
        "ask": "use_mcp_server",
        "serverName": "files",
        "type": "use_mcp_tool",
        "toolName": "read",
        "arguments": '{"path":"x"}',
    }
    assert asked["access_mcp_resource"]["uri"] == "u://x"
    assert asked["switch_mode"]["mode"] == "ask"
    assert asked["web_fetch"]["tool"] == "web_fetch"


def test_tokens_and_cost_stand_with_the_request_once_it_is_over() -> None:
    started, done = (
        json.loads(next(m.text or "" for m in told(events) if m.say == "api_req_started"))
        for events in (
            [TaskCreated(spec=SPEC), TurnStarted(turn=1)],
            [TaskCreated(spec=SPEC), TurnStarted(turn=1), reply(text="Hi.")],
        )
    )
    assert started == {"apiProtocol": "anthropic"}
    assert done == {
        "apiProtocol": "anthropic", "tokensIn": 13, "tokensOut": 5, "cacheWrites": 0,
        "cacheReads": 3, "cost": 0.01,
    }  # fmt: skip


def test_long_output_is_shown_by_its_end() -> None:
    events = made("execute_command", {"command": "yes"})[:-2]
    pieces: list[Event] = [
        ToolOutput(tool_use_id="id-execute_command-False", text="y\n" * 100_000) for _ in range(3)
    ]
    messages = told([TaskCreated(spec=SPEC), *events, *pieces])
    output = next(m.text or "" for m in messages if m.say == "command_output")
    assert len(output) <= MOST_OUTPUT


def test_what_is_told_has_names_that_roo_knows() -> None:
    messages = told(everything())
    assert {m.ask for m in messages if m.ask} <= set(get_args(Ask))
    assert {m.say for m in messages if m.say} <= set(get_args(Say))
    assert messages[-2].say == messages[-1].ask == "completion_result"
    assert messages[-2].text == "All done."


def test_a_view_knows_what_the_task_waits_for() -> None:
    view = TaskView("t")
    call = tool_call("execute_command", "x", {"command": "ls"})
    for record in records([TaskCreated(spec=SPEC), reply(call), ApprovalRequested(call=call)]):
        view.show(record)
    assert view.open_asks == ["x"]
    view.show(records([RunCompleted(result="")])[0])
    assert view.open_asks == []
    assert view.waits == "taskIdle"
    assert not view.is_busy


@given(st.lists(st.sampled_from(everything()), max_size=60))
def test_a_log_in_any_order_is_told_without_fail(events: list[Event]) -> None:
    view = TaskView("t")
    created: list[float] = []
    for record in records(events):
        for event in (*view.show(record), *view.flush()):
            if event.event_name == "message" and event.payload:
                change = event.payload[0]
                assert change.action == "created" or change.message.ts in created
                created += [change.message.ts] if change.action == "created" else []
            assert read_message(to_frame(of_server(event))[:-1]) == of_server(event)
    assert len(created) == len(set(created))


def of_server(event: TaskEvent) -> IpcMessage:
    return IpcMessage(kind="TaskEvent", origin="server", data=event)
