"""`roo-cli-stream` events and the one JSON object, made from records alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roo_code.cli.render_json import JsonRenderer
from roo_code.cli.render_stream import StreamRenderer
from roo_code.cli.report import RunReport
from roo_code.errors import UserFacingError
from roo_code.events import (
    ApprovalDecided,
    Event,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    RequestRetried,
    RunCompleted,
    RunFailed,
    RunParked,
    Suggestion,
    TaskCreated,
    TaskSpec,
    TextDelta,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    ToolStarted,
    TurnStarted,
)
from roo_code.messages import Message, Usage
from tests.cli.records import TASK, call, joined, records, reply, result
from tests.cli.test_render_text import COMMAND_RESULT, EVERY_EVENT

NUMBERS = ("id", "queueDepth", "schemaVersion")
FIELDS = {
    "type", "subtype", "id", "content", "done", "success", "cost", "tool_use", "tool_result",
    "schemaVersion", "protocol", "capabilities", "taskId", "total", "refused",
}  # fmt: skip


def events(*happened: Event) -> list[dict[str, Any]]:
    """What a program reads, up to and with the result."""
    renderer, report = StreamRenderer(), RunReport()
    lines = joined([renderer.begin(TASK)])
    for record in records(*happened):
        report.note(record)
        lines += joined([renderer.show(record)])
    lines += joined([renderer.end(report)])
    return [json.loads(line) for line in lines.splitlines()]


def without_ids(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in event.items() if k != "id"} for event in found]


def body(*happened: Event) -> list[dict[str, Any]]:
    """The events between the first, `system`, and the last, `result`."""
    return without_ids(events(*happened)[1:-1])


def test_the_first_event_names_the_protocol() -> None:
    assert events()[0] == {
        "type": "system",
        "subtype": "init",
        "content": "Task started",
        "schemaVersion": 1,
        "protocol": "roo-cli-stream",
        "capabilities": [
            "stdin:start", "stdin:message", "stdin:cancel", "stdin:ping", "stdin:shutdown",
        ],
        "taskId": TASK,
    }  # fmt: skip


def test_the_prompt_and_later_messages_are_the_users() -> None:
    assert body(
        TaskCreated(spec=TaskSpec(prompt="fix it", workspace="/w")),
        MessageAdded(message=Message.from_user("and test it")),
    ) == [
        {"type": "user", "content": "fix it", "done": True},
        {"type": "user", "content": "and test it", "done": True},
    ]


def test_text_and_thinking_come_as_deltas_and_whole_at_the_end_under_one_id() -> None:
    found = events(
        TurnStarted(turn=1),
        ReasoningDelta(text="Hm"),
        ReasoningDelta(text="m."),
        TextDelta(text="Hel"),
        TextDelta(text="lo."),
        reply("Hello.", thinking="Hmm."),
    )[1:-1]
    assert without_ids(found) == [
        {"type": "thinking", "content": "Hm"},
        {"type": "thinking", "content": "m."},
        {"type": "assistant", "content": "Hel"},
        {"type": "assistant", "content": "lo."},
        {"type": "thinking", "content": "Hmm.", "done": True},
        {"type": "assistant", "content": "Hello.", "done": True},
    ]
    ids = {
        kind: {e["id"] for e in found if e["type"] == kind} for kind in ("thinking", "assistant")
    }
    assert [len(of_kind) for of_kind in ids.values()] == [1, 1]
    assert ids["thinking"] != ids["assistant"]


def test_two_replies_have_two_ids() -> None:
    found = events(TurnStarted(turn=1), reply("One."), TurnStarted(turn=2), reply("Two."))
    assert len({event["id"] for event in found[1:-1]}) == 2


def test_a_command_streams_its_text_and_its_output() -> None:
    run = call("execute_command", command="make test")
    found = events(
        ToolInputDelta(tool_use_id="call_1", name="execute_command", partial_json='{"comm'),
        ToolInputDelta(tool_use_id="call_1", name="execute_command", partial_json='and": "make'),
        ToolInputDelta(tool_use_id="call_1", name="execute_command", partial_json=' test"}'),
        reply("", run),
        ToolStarted(call=run),
        ToolOutput(tool_use_id="call_1", text="ok\n"),
        ToolFinished(result=result(COMMAND_RESULT.format(code=0, out="ok\n"))),
    )[1:-1]
    use = {"type": "tool_use", "subtype": "command"}
    output = {"type": "tool_result", "subtype": "command"}
    assert without_ids(found) == [
        {**use, "tool_use": {"name": "execute_command"}, "content": "make"},
        {**use, "tool_use": {"name": "execute_command"}, "content": " test"},
        {
            **use,
            "tool_use": {"name": "execute_command", "input": {"command": "make test"}},
            "done": True,
        },
        {**output, "tool_result": {"name": "execute_command", "output": "ok\n"}},
        {**output, "tool_result": {"name": "execute_command", "exitCode": 0}, "done": True},
    ]
    assert len({event["id"] for event in found}) == 1


def test_a_command_that_ran_elsewhere_has_its_output_in_the_last_event() -> None:
    run = call("execute_command", command="make")
    last = body(
        reply("", run), ToolFinished(result=result(COMMAND_RESULT.format(code=3, out="no\n")))
    )[-1]
    assert last["tool_result"] == {"name": "execute_command", "output": "no\n", "exitCode": 3}


def test_other_tools_are_told_by_name_and_input_and_their_result_only_if_it_failed() -> None:
    read = call("read_file", path="a.py")
    use = {
        "type": "tool_use",
        "subtype": "tool",
        "tool_use": {"name": "read_file", "input": {"path": "a.py"}},
        "done": True,
    }
    assert body(reply("", read), ToolFinished(result=result("1 | x"))) == [use]
    assert body(reply("", read), ToolFinished(result=result("gone", is_error=True))) == [
        use,
        {
            "type": "tool_result",
            "subtype": "tool",
            "tool_result": {"name": "read_file", "error": "gone"},
            "done": True,
        },
    ]


def test_a_question_is_a_followup_and_its_answer_the_users() -> None:
    asked = QuestionAsked(
        tool_use_id="call_1", question="Which?", suggestions=(Suggestion(text="red", mode="code"),)
    )
    followup, answer = body(asked, QuestionAnswered(tool_use_id="call_1", answer="red"))
    assert followup["subtype"] == "followup"
    assert json.loads(followup["content"]) == {
        "question": "Which?",
        "suggest": [{"answer": "red", "mode": "code"}],
    }
    assert answer == {"type": "user", "content": "red", "done": True}


def test_the_result_has_the_completion_and_the_cost() -> None:
    completion = call("attempt_completion", result="Done.")
    found = events(
        TurnStarted(turn=1),
        reply("Working.", usage=Usage(input_tokens=100, output_tokens=10, cost=0.5)),
        TurnStarted(turn=2),
        reply(
            "",
            completion,
            usage=Usage(
                input_tokens=5,
                output_tokens=20,
                cache_read_tokens=90,
                cache_write_tokens=7,
                cost=0.25,
            ),
        ),
        ToolStarted(call=completion),
        ToolFinished(result=result("Done.")),
        RunCompleted(result="Done."),
    )
    assert without_ids([found[-1]]) == [
        {
            "type": "result",
            "content": "Done.",
            "done": True,
            "success": True,
            "cost": {
                "totalCost": 0.25,
                "inputTokens": 102,
                "outputTokens": 20,
                "cacheWrites": 7,
                "cacheReads": 90,
            },
            "total": {
                "totalCost": 0.75,
                "inputTokens": 202,
                "outputTokens": 30,
                "cacheWrites": 7,
                "cacheReads": 90,
                "turns": 2,
            },
            "taskId": TASK,
        }
    ]
    assert [event["type"] for event in found] == ["system", "assistant", "result"]


def test_a_failed_run_has_an_error_and_no_success() -> None:
    found = events(TurnStarted(turn=1), reply("So far."), RunFailed(error="No credit left."))
    assert found[-2]["type"] == "error"
    assert found[-2]["content"] == "No credit left."
    assert (found[-1]["success"], found[-1]["content"]) == (False, "So far.")


def test_a_parked_run_is_no_success() -> None:
    assert events(RunParked(waiting_for=()))[-1]["success"] is False


def test_refused_calls_are_listed_with_the_result() -> None:
    rm = call("execute_command", command="rm x")
    refused = ApprovalDecided(tool_use_id="call_1", approved=False, by="policy", reason="no")
    last = events(reply("", rm), refused, RunCompleted(result=""))[-1]
    assert last["refused"] == [{"call": "execute_command rm x", "reason": "no"}]


def test_bookkeeping_is_not_sent() -> None:
    assert body(RequestRetried(attempt=1, delay=1, error="e", kind="RateLimited")) == []


def test_every_event_fits_the_schema_and_ids_of_different_things_differ() -> None:
    for event in events(*EVERY_EVENT):
        assert event.keys() <= FIELDS
        assert all(isinstance(event.get(name, 0), int) for name in NUMBERS)
        assert isinstance(event.get("content", ""), str)
        assert isinstance(event.get("tool_use", {"name": ""})["name"], str)
        assert isinstance(event.get("tool_result", {"name": ""})["name"], str)


def test_json_is_one_object_with_only_what_is_complete() -> None:
    renderer, report = JsonRenderer(), RunReport()
    assert joined([renderer.begin(TASK)]) == ""
    for record in records(
        TaskCreated(spec=TaskSpec(prompt="hi", workspace="/w")),
        TurnStarted(turn=1),
        TextDelta(text="Hel"),
        reply("Hello.", usage=Usage(input_tokens=1, output_tokens=2)),
        RunCompleted(result="Hello."),
    ):
        report.note(record)
        assert joined([renderer.show(record)]) == ""
    text = joined([renderer.end(report)])
    assert text.startswith('{\n  "type": "result"')
    output = json.loads(text)
    assert output["success"] is True
    assert output["content"] == "Hello."
    assert output["cost"] == {
        "inputTokens": 1, "outputTokens": 2, "cacheWrites": 0, "cacheReads": 0,
    }  # fmt: skip
    assert [event["type"] for event in output["events"]] == ["system", "user", "assistant"]
    assert output["events"][-1]["content"] == "Hello."


@pytest.mark.parametrize("renderer", [StreamRenderer(), JsonRenderer()])
def test_what_kept_it_from_starting_is_an_error_event(
    renderer: StreamRenderer | JsonRenderer,
) -> None:
    text = joined([renderer.fail(UserFacingError("No key.")), renderer.end(RunReport())])
    assert "No key." in text
    assert '"success"' in text
