"""`roo -p`: a whole task in a process of its own, without a terminal."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import Roo, calls, completion

FIXED = "def add(a, b):\n    return a + b\n"
UUID = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"


def fix() -> list[ScriptedReply]:
    return [
        calls("I will look.", read_file={"path": "calc.py"}),
        calls(write_to_file={"path": "calc.py", "content": FIXED}),
        completion("It adds now."),
    ]


def task_id(done: subprocess.CompletedProcess[str]) -> str:
    return done.stderr.rpartition("task ")[2].strip()


@pytest.mark.requirement("agent:cli:direct-run", "agent:engine:no-editor")
def test_a_task_runs_to_its_end(roo: Roo) -> None:
    server = roo.serve(*fix())
    done = roo.run("-p", "Fix calc.py")
    assert done.returncode == 0, done.stderr
    assert (roo.workspace / "calc.py").read_text(encoding="utf-8") == FIXED
    assert done.stdout == (
        "I will look.\n"
        "• read_file calc.py\n"
        "  ✓ 2 lines\n"
        "• write_to_file calc.py\n"
        "  ✓ modified\n"
        "\n"
        "It adds now.\n"
    )
    assert done.stderr.startswith("3 turns · 300 tokens in, 60 out · $")
    assert server.problems() == []


def test_the_current_folder_is_the_workspace_unless_one_is_named(roo: Roo) -> None:
    roo.serve(*fix())
    done = subprocess.run(
        [*roo.program, *roo.model, "-p", "Fix it"],
        cwd=roo.workspace, env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert (roo.workspace / "calc.py").read_text(encoding="utf-8") == FIXED


@pytest.mark.requirement("agent:cli:direct-run")
def test_a_task_that_does_not_complete_is_no_success(roo: Roo) -> None:
    roo.serve("Never said.")
    done = roo.run("-p", "hi", "--api-key", "wrong")
    assert done.returncode == 1
    first, hint, resume, _ = done.stderr.splitlines()
    assert first.startswith("Error: ")
    assert hint == "  Give a valid key with --api-key or the provider's environment variable."
    assert resume.startswith("Resume with: roo --session-id ")
    assert "Traceback" not in done.stderr


def test_the_prompt_may_come_from_a_pipe_or_a_file(roo: Roo, tmp_path: Path) -> None:
    server = roo.serve("Read.")
    file = tmp_path / "prompt.txt"
    file.write_text("from a file — ü", encoding="utf-8")
    assert roo.run("-p", input=b"from a pipe").returncode == 0
    assert roo.run("-p", "--prompt-file", str(file)).returncode == 0
    assert roo.run("-p", "--prompt-file", "-", input=b"from stdin").returncode == 0
    assert roo.run("-p", "-", input=b"from a dash").returncode == 0
    asked = [str(request.body["messages"][0]["content"]) for request in server.requests]
    for said, wanted in zip(
        asked, ("from a pipe", "from a file — ü", "from stdin", "from a dash"), strict=True
    ):
        assert wanted in said


def test_a_prompt_of_ten_megabytes_works(roo: Roo) -> None:
    server = roo.serve("Long.")
    done = roo.run("-p", input=b"word " * 2_000_000)
    assert done.returncode == 0, done.stderr
    said = server.requests[0].body["messages"][0]["content"][0]["text"]
    assert said.startswith("[Cut: 10,000,000 characters")  # no window holds them
    kept = [path for path in roo.store_files() if path.suffix == ".txt" and str(path) in said]
    assert [len(path.read_text(encoding="utf-8")) for path in kept] == [10_000_000]


def test_no_terminal_means_print(roo: Roo) -> None:
    roo.serve("Hello.")
    done = roo.run("hi")
    assert (done.returncode, done.stdout) == (0, "Hello.\n")


def test_a_prompt_named_like_a_command_comes_after_dashes(roo: Roo) -> None:
    server = roo.serve("A list.")
    done = roo.run("-p", "--", "list")
    assert done.returncode == 0
    assert "list" in str(server.requests[0].body["messages"][0])


def test_stream_json_tells_all_as_it_happens(roo: Roo) -> None:
    roo.serve(*fix())
    done = roo.run("-p", "Fix calc.py", "--output-format", "stream-json")
    assert done.returncode == 0
    assert done.stderr == ""
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (events[0]["type"], events[0]["subtype"]) == ("system", "init")
    assert events[1] == {
        "type": "user",
        "id": events[1]["id"],
        "content": "Fix calc.py",
        "done": True,
    }
    finished = [e["tool_use"]["name"] for e in events if e["type"] == "tool_use" and e.get("done")]
    assert finished == ["read_file", "write_to_file"]
    assert events[-1]["type"] == "result"
    assert events[-1]["success"] is True
    assert events[-1]["content"] == "It adds now."
    assert events[-1]["cost"].keys() == {
        "totalCost", "inputTokens", "outputTokens", "cacheWrites", "cacheReads",
    }  # fmt: skip


def test_json_is_one_object(roo: Roo) -> None:
    roo.serve(*fix())
    done = roo.run("-p", "Fix calc.py", "--output-format", "json")
    output = json.loads(done.stdout)
    assert (done.returncode, output["type"], output["success"]) == (0, "result", True)
    assert output["content"] == "It adds now."
    assert output["events"][-1]["type"] == "tool_use"


def test_json_tells_of_a_failure_too(roo: Roo) -> None:
    roo.serve("Never said.")
    done = roo.run("-p", "hi", "--api-key", "wrong", "--output-format", "json")
    output = json.loads(done.stdout)
    assert (done.returncode, output["success"]) == (1, False)
    assert output["events"][-1]["type"] == "error"


def test_nobody_is_asked_and_the_first_suggestion_is_taken(roo: Roo) -> None:
    server = roo.serve(
        calls(ask_followup_question={"question": "Which?", "follow_up": ["red", "blue"]}),
        calls(ask_followup_question={"question": "Why?"}),
        completion("Red."),
    )
    done = roo.run("-p", "Paint it")
    assert done.returncode == 0
    assert "? Which?\n    1. red\n    2. blue\n> red\n" in done.stdout
    assert "> Nobody is here to answer; decide yourself.\n" in done.stdout
    assert "red" in str(server.requests[1].body["messages"][-1])


@pytest.mark.requirement("agent:approval:ask-before-tool")
def test_what_is_not_approved_is_refused_told_to_the_model_and_listed(roo: Roo) -> None:
    server = roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("Could not."))
    done = roo.run("-p", "Touch it")
    assert done.returncode == 0
    assert not (roo.workspace / "made").exists()
    assert "✗ execute_command mkfifo made\n    refused: " in done.stdout
    assert "Refused: execute_command mkfifo made: " in done.stderr
    assert "More may run unasked with --approve LEVEL or --allow-command WORDS" in done.stderr
    assert "refused this call" in str(server.requests[1].body["messages"][-1])


@pytest.mark.parametrize("allowed", [("--approve", "all"), ("--allow-command", "mkfifo")])
def test_what_is_approved_runs(roo: Roo, allowed: tuple[str, str]) -> None:
    roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("Made."))
    done = roo.run("-p", "Touch it", *allowed)
    assert done.returncode == 0
    assert (roo.workspace / "made").exists()
    assert "• execute_command mkfifo made\n  ✓ exit code 0\n" in done.stdout


def test_output_of_commands_is_shown(roo: Roo) -> None:
    command = "printf 'one\\ntwo'; exit 3"
    roo.serve(calls(execute_command={"command": command}), completion("Done."))
    done = roo.run("-p", "Run it", "--approve", "all")
    assert "    one\n    two\n  ✗ exit code 3\n" in done.stdout


def test_an_approval_nobody_can_give_parks_the_task_and_another_run_gives_it(roo: Roo) -> None:
    roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("Made."))
    parked = roo.run("-p", "-a", "Touch it")
    assert parked.returncode == 1
    assert "? waits for approval of toolu_0_execute_command: execute_command" in parked.stderr
    assert f"roo tasks answer {task_id(parked)[:8]} --approve" in parked.stderr
    assert not (roo.workspace / "made").exists()

    still = roo.run("-p", "--session-id", task_id(parked))
    assert still.returncode == 1
    assert "waits for approval" in still.stderr

    done = roo.run("-p", "--session-id", task_id(parked), "--approve", "all")
    assert done.returncode == 0, done.stderr
    assert (roo.workspace / "made").exists()


def test_a_message_to_a_task_that_waits_for_an_approval_refuses_it(roo: Roo) -> None:
    server = roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("As you say."))
    parked = roo.run("-p", "-a", "Touch it")
    done = roo.run("-p", "--session-id", task_id(parked), "Do not touch it")
    assert done.returncode == 0, done.stderr
    assert not (roo.workspace / "made").exists()
    assert "Do not touch it" in str(server.requests[-1].body["messages"])
    assert server.problems() == []


@pytest.mark.requirement("agent:history:resume")
def test_a_task_goes_on_with_a_message_by_its_id_or_as_the_newest_here(roo: Roo) -> None:
    server = roo.serve("One.", "Two.", "Three.")
    first = roo.run("-p", "Count")
    second = roo.run("-p", "--session-id", task_id(first), "And then?")
    third = roo.run("-p", "--continue", "And then?")
    assert [done.returncode for done in (first, second, third)] == [0, 0, 0]
    assert task_id(third) == task_id(first)
    assert third.stdout == "> And then?\nThree.\n"
    assert len(server.requests[-1].body["messages"]) == 5
    assert server.problems() == []


def test_a_failed_task_is_resumed_without_a_word(roo: Roo) -> None:
    roo.serve(ScriptedReply(text="At last.", faults=(Fault(kind="status", status=500),)))
    failed = roo.run("-p", "--exit-on-error", "hi")
    assert failed.returncode == 1
    assert "again in" not in failed.stdout
    done = roo.run("-p", "--session-id", task_id(failed))
    assert (done.returncode, done.stdout) == (0, "At last.\n")


def test_a_completed_task_shows_its_result_again(roo: Roo) -> None:
    server = roo.serve("Done it.")
    first = roo.run("-p", "Do it")
    again = roo.run("-p", "--session-id", task_id(first))
    assert (again.returncode, again.stdout.strip()) == (0, "Done it.")
    assert "The task was completed before" in again.stderr
    assert len(server.requests) == 1


def test_retries_are_told(roo: Roo) -> None:
    limited = Fault(kind="status", status=429, retry_after=1)
    roo.serve(ScriptedReply(text="Now.", faults=(limited,)))
    done = roo.run("-p", "hi")
    assert done.returncode == 0
    assert done.stdout == "! rate limited; again in 1 s (attempt 2)\nNow.\n"


def test_a_task_can_be_given_its_id(roo: Roo) -> None:
    roo.serve("Hi.", "Again.")
    done = roo.run("-p", "--create-with-session-id", UUID.upper(), "hi")
    assert task_id(done) == UUID
    assert roo.run("-p", "--session-id", UUID, "more").stdout == "> more\nAgain.\n"
    other = roo.run("-p", "--create-with-session-id", UUID, "other words")
    assert other.returncode == 1
    assert f"Error: A task '{UUID}' exists already." in other.stderr


def test_the_turn_limit_ends_the_task_and_a_higher_one_continues_it(roo: Roo) -> None:
    roo.serve(*fix())
    stopped = roo.run("-p", "--max-turns", "2", "Fix calc.py")
    assert stopped.returncode == 1
    assert "2 turns of 2 turns" in stopped.stderr
    done = roo.run("-p", "--max-turns", "5", "--session-id", task_id(stopped))
    assert done.returncode == 0, done.stderr


def test_an_ephemeral_task_leaves_nothing(roo: Roo, tmp_path: Path) -> None:
    roo.serve(*fix())
    before = set(tmp_path.iterdir())
    done = roo.run("-p", "--ephemeral", "Fix calc.py")
    assert done.returncode == 0
    assert set(tmp_path.iterdir()) == before
    assert not roo.home.exists()


def test_nothing_of_rich_is_loaded_for_a_pipe(roo: Roo) -> None:
    roo.serve("Hi.")
    program = roo.command("-p", "hi")
    program[1:1] = ["-X", "importtime"]
    done = subprocess.run(
        program, env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=50, check=False,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "roo_code.cli.run" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in ("rich", "markdown_it")}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.requirement("agent:engine:cancel-stops-work")
def test_a_signal_stops_the_run_and_the_task_goes_on_later(
    roo: Roo, number: signal.Signals, code: int
) -> None:
    roo.serve(
        calls(execute_command={"command": "echo $$ > pid; echo started; exec sleep 300"}),
        completion("Woken."),
    )
    running = roo.start("-p", "--approve", "all", "Sleep")
    assert running.stdout is not None
    while "started" not in running.stdout.readline() or not (roo.workspace / "pid").exists():
        pass
    running.send_signal(number)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == code
    told = "Cancelled." if number == signal.SIGINT else "Stopped."
    assert f"{told} Resume with: roo --session-id " in errors
    assert not Path(f"/proc/{(roo.workspace / 'pid').read_text().strip()}").exists()
    status = "cancelled" if number == signal.SIGINT else "running"
    assert stored_status(roo) == status

    done = roo.run("-p", "--session-id", errors.rpartition(" ")[2].strip())
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Woken.\n")


def test_a_killed_run_is_resumed(roo: Roo) -> None:
    server = roo.serve(ScriptedReply(text="Alive.", faults=(Fault(kind="hang"),)))
    running = roo.start("-p", "--create-with-session-id", UUID, "Live")
    while not server.requests:
        assert running.poll() is None
    running.kill()
    running.wait()
    done = roo.run("-p", "--session-id", UUID)
    assert (done.returncode, done.stdout) == (0, "Alive.\n")


def test_a_second_process_follows_the_first(roo: Roo) -> None:
    roo.serve(
        calls(execute_command={"command": "echo started; while [ ! -e go ]; do sleep 0.05; done"}),
        completion("Both saw it."),
    )
    first = roo.start("-p", "--approve", "all", "--create-with-session-id", UUID, "Wait")
    assert first.stdout is not None
    while "started" not in first.stdout.readline():
        pass
    second = roo.start("-p", "--session-id", UUID)
    assert second.stderr is not None
    assert second.stderr.readline() == "Another process drives this task; this one follows it.\n"
    third = roo.start("-p", "--session-id", UUID)
    assert third.stderr is not None
    third.stderr.readline()
    third.send_signal(signal.SIGINT)
    assert "Stopped watching; another process goes on with the task." in third.communicate()[1]
    assert third.returncode == 130
    (roo.workspace / "go").touch()
    outputs = [process.communicate(timeout=30)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert all(output.endswith("Both saw it.\n") for output in outputs)


def test_a_reader_that_leaves_ends_the_run_without_a_complaint(roo: Roo) -> None:
    roo.serve(ScriptedReply(text="word " * 50_000, chunk_size=1000))
    running = roo.start("-p", "Talk")
    assert running.stdout is not None
    running.stdout.close()
    assert running.stderr is not None
    assert running.wait(30) == 1
    assert "Traceback" not in running.stderr.read()


def stored_status(roo: Roo) -> str:
    with closing(sqlite3.connect(roo.home / "state" / "tasks.sqlite3")) as db:
        return db.execute("SELECT status FROM tasks").fetchone()[0]
