"""`roo` at a real terminal: asks, a spinner, Ctrl-C, and the next message."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import Roo, calls, completion
from tests.cli.terminal import CTRL_C, CTRL_D, Terminal

MAKE = calls("I will make it.", execute_command={"command": "mkfifo made"})
HANGS = ScriptedReply(text="Too late.", faults=(Fault(kind="hang"),))
ERASED_SPINNER = "\r\x1b[K"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_a_conversation_goes_on_until_the_user_leaves(roo: Roo) -> None:
    server = roo.serve("Hello, user.", "Fine.", "Bye.")
    terminal = roo.terminal("hi")
    terminal.wait_for("Hello, user.")
    terminal.wait_for("> ")
    terminal.line("how are you")
    terminal.wait_for("Fine.")
    terminal.wait_for("> ")
    terminal.line("exit")
    assert terminal.exit_code() == 0
    assert len(server.requests) == 2
    assert server.problems() == []


def test_without_a_prompt_the_user_is_asked_for_one(roo: Roo) -> None:
    roo.serve("Hello.")
    terminal = roo.terminal()
    terminal.wait_for("> ")
    terminal.line("hi")
    terminal.wait_for("Hello.")
    terminal.wait_for("> ")
    terminal.send(CTRL_D)
    assert terminal.exit_code() == 0


def test_pasted_lines_are_one_message(roo: Roo) -> None:
    server = roo.serve("Read.")
    terminal = roo.terminal()
    terminal.wait_for("> ")
    terminal.line("first line\nsecond line")
    terminal.wait_for("Read.")
    assert "first line\\nsecond line" in str(server.requests[0].body["messages"])


def test_oneshot_leaves_when_the_task_is_done(roo: Roo) -> None:
    roo.serve("Done.")
    terminal = roo.terminal("--oneshot", "hi")
    assert terminal.exit_code() == 0
    closing = COLOUR.sub("", terminal.output).splitlines()[-1]
    assert re.fullmatch(
        r"1 turn · 100 tokens in, 20 out · \$0\.\d{4} · \d+\.\d s · task [0-9a-f-]{36}", closing
    )


@pytest.mark.parametrize(
    ("answer", "made", "heard"),
    [
        ("y", True, None),
        ("yes but only once", True, "The user approved this call and said: but only once"),
        ("n", False, "The user refused this call."),
        ("use mkdir instead", False, "The user refused this call: use mkdir instead"),
    ],
)
@pytest.mark.requirement("agent:approval:ask-before-tool")
def test_what_the_policy_leaves_open_is_asked(
    roo: Roo, answer: str, made: bool, heard: str | None
) -> None:
    server = roo.serve(MAKE, completion("So be it."))
    terminal = roo.terminal("--oneshot", "Make it")
    terminal.wait_for("execute_command mkfifo made")
    terminal.wait_for("Allow execute_command? y, n, t, a, or what to do instead: ")
    terminal.line(answer)
    assert terminal.exit_code() == 0
    assert (roo.workspace / "made").exists() is made
    told = str(server.requests[1].body["messages"][-1])
    assert heard is None or heard in told


def test_what_was_typed_before_an_approval_is_asked_does_not_answer_it(roo: Roo) -> None:
    hold = calls(execute_command={"command": "while [ ! -e go ]; do sleep 0.05; done"})
    roo.serve(hold, MAKE, completion("So be it."))
    terminal = roo.terminal("--oneshot", "-a", "Make it")
    terminal.wait_for("Allow execute_command?")
    terminal.line("y")
    terminal.wait_for("Running execute_command")
    terminal.line("y")
    (roo.workspace / "go").touch()
    terminal.wait_for("Allow execute_command?")
    terminal.line("n")
    assert terminal.exit_code() == 0
    assert not (roo.workspace / "made").exists()


def test_everything_is_asked_if_the_user_wants_so(roo: Roo) -> None:
    roo.serve(calls(read_file={"path": "calc.py"}), completion("Read."))
    terminal = roo.terminal("--oneshot", "--require-approval", "Read it")
    terminal.wait_for("Allow read_file?")
    terminal.line("y")
    assert terminal.exit_code() == 0


def test_what_will_be_written_is_shown_before_it_is_allowed(roo: Roo) -> None:
    lines = "\n".join(f"line {n}" for n in range(100))
    roo.serve(calls(write_to_file={"path": "x", "content": lines}), completion("Written."))
    terminal = roo.terminal("--oneshot", "-a", "Write it")
    shown = terminal.wait_for("Allow write_to_file?")
    assert "path: x" in shown
    assert "line 39" in shown
    assert "… 60 more lines" in shown
    terminal.line("n")
    assert terminal.exit_code() == 0


def test_a_command_cannot_hide_what_it_does(roo: Roo) -> None:
    sly = "mkfifo made\r\x1b[2K\x1b]0;x\x07echo harmless"
    roo.serve(calls(execute_command={"command": sly}), completion("No?"))
    terminal = roo.terminal("--oneshot", "Do it")
    shown = terminal.wait_for("Allow execute_command?")
    assert "mkfifo made\\x0d\\x1b[2K\\x1b]0;x\\x07echo harmless" in shown
    terminal.line("n")
    assert terminal.exit_code() == 0


def test_questions_are_answered_by_number_or_in_words(roo: Roo) -> None:
    server = roo.serve(
        calls(ask_followup_question={"question": "Which?", "follow_up": ["red", "blue"]}),
        calls(ask_followup_question={"question": "Sure?"}),
        completion("Blue."),
    )
    terminal = roo.terminal("--oneshot", "Paint it")
    terminal.wait_for("2. blue")
    terminal.wait_for("1-2 or your own answer: ")
    terminal.line("2")
    terminal.wait_for("Sure?")
    terminal.wait_for("Your answer: ")
    terminal.line("quite")
    assert terminal.exit_code() == 0
    assert "blue" in str(server.requests[1].body["messages"][-1])
    assert "quite" in str(server.requests[2].body["messages"][-1])


def test_a_terminal_shows_what_is_waited_for(roo: Roo) -> None:
    roo.serve(HANGS)
    terminal = roo.terminal("hi")
    terminal.wait_for("Thinking 0 s")
    terminal.wait_for("Thinking 1 s")


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_they_are_not_wanted(roo: Roo, variable: dict[str, str]) -> None:
    roo.serve(MAKE, completion("# Title\n\n- *item*\n"))
    terminal = roo.terminal("--oneshot", "--approve", "all", "Make it", **variable)
    assert terminal.exit_code() == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", terminal.output)
    if "TERM" in variable:
        assert "\x1b" not in terminal.output
        assert "Thinking" not in terminal.output


@pytest.mark.requirement("agent:engine:cancel-stops-work")
def test_ctrl_c_cancels_and_says_how_to_resume(roo: Roo) -> None:
    server = roo.serve(HANGS)
    terminal = roo.terminal("hi")
    terminal.wait_for("Thinking")
    while not server.requests:
        pass
    terminal.send(CTRL_C)
    terminal.wait_for("Cancelled. Resume with: roo --session-id ")
    assert terminal.exit_code() == 130
    id = terminal.output.strip().rpartition(" ")[2]
    again = roo.terminal("--oneshot", "--session-id", id)
    assert again.exit_code() == 0
    assert "Too late." in again.output


def test_ctrl_c_at_an_approval_cancels(roo: Roo) -> None:
    roo.serve(MAKE, "Unheard.")
    terminal = roo.terminal("Make it")
    terminal.wait_for("Allow execute_command?")
    terminal.send(CTRL_C)
    terminal.wait_for("Cancelled. Resume with: roo --session-id ")
    assert terminal.exit_code() == 130
    assert not (roo.workspace / "made").exists()


def test_ctrl_c_at_the_prompt_leaves(roo: Roo) -> None:
    roo.serve("Hello.")
    terminal = roo.terminal("hi")
    terminal.wait_for("> ")
    terminal.send(CTRL_C)
    terminal.wait_for("Resume with: roo --session-id ")
    assert terminal.exit_code() == 130


def test_ctrl_c_twice_does_not_wait(roo: Roo) -> None:
    server = roo.serve(HANGS)
    terminal = roo.terminal("hi")
    terminal.wait_for("Thinking")
    while not server.requests:
        pass
    with closing(sqlite3.connect(roo.home / "state" / "tasks.sqlite3")) as db:
        db.execute("BEGIN IMMEDIATE")  # now nobody can store that the task is cancelled
        terminal.send(CTRL_C)
        terminal.wait_for(ERASED_SPINNER)
        terminal.send(CTRL_C)
        assert terminal.exit_code(seconds=10) == 130
    assert "Cancelled" not in terminal.output


def test_end_of_input_at_an_approval_leaves_the_task_waiting(roo: Roo) -> None:
    roo.serve(MAKE, completion("Made."))
    terminal = roo.terminal("Make it")
    terminal.wait_for("Allow execute_command?")
    terminal.send(CTRL_D)
    terminal.wait_for("waits for approval of ")
    assert terminal.exit_code() == 1
    id = terminal.output.strip().rpartition("task ")[2][:36]

    again = roo.terminal("--oneshot", "--session-id", id)
    again.wait_for("Allow execute_command?")
    again.line("y")
    assert again.exit_code() == 0
    assert (roo.workspace / "made").exists()


def test_an_answer_given_elsewhere_ends_the_question_here(roo: Roo) -> None:
    roo.serve(MAKE, completion("Made."))
    first = roo.terminal("--oneshot", "Make it")
    first.wait_for("Allow execute_command?")
    id = newest_task(roo)
    second = roo.terminal("--oneshot", "--session-id", id)
    second.wait_for("Allow execute_command?")
    second.line("y")
    first.wait_for("(answered elsewhere)")
    assert [first.exit_code(), second.exit_code()] == [0, 0]
    assert (roo.workspace / "made").exists()


def test_a_task_that_ran_unattended_is_attended_from_now_on(roo: Roo) -> None:
    server = roo.serve("Done.", MAKE, completion("Made."))
    assert roo.run("-p", "Do it").returncode == 0
    terminal = roo.terminal("--continue")
    terminal.wait_for("Resuming: Do it")
    terminal.wait_for("Done.")
    terminal.wait_for("> ")
    terminal.line("Now make it")
    terminal.wait_for("Allow execute_command?")
    terminal.line("y")
    terminal.wait_for("Made.")
    assert server.problems() == []


def test_a_failure_is_shown_and_the_user_may_go_on(roo: Roo) -> None:
    roo.serve(ScriptedReply(text="Here I am.", faults=(Fault(kind="status", status=400),)))
    terminal = roo.terminal("hi")
    terminal.wait_for("Error: ")
    terminal.wait_for("> ")
    terminal.line("again")
    terminal.wait_for("Here I am.")
    terminal.wait_for("> ")
    terminal.send(CTRL_D)
    assert terminal.exit_code() == 0


def test_print_mode_asks_at_the_terminal_if_told_to(roo: Roo, tmp_path: Path) -> None:
    """The prompt comes from a file and the output goes to one, but a person is there."""
    roo.serve(MAKE, completion("Made."))
    prompt, output = tmp_path / "in", tmp_path / "out"
    prompt.write_text("Make it", encoding="utf-8")
    line = f"{' '.join(roo.command('-p', '-a'))} < {prompt} > {output}"
    terminal = roo.exits.enter_context(Terminal(["sh", "-c", line], roo.environment))
    shown = terminal.wait_for("Allow execute_command?")
    assert "command: mkfifo made" in shown
    terminal.line("y")
    assert terminal.exit_code() == 0
    assert output.read_text(encoding="utf-8").endswith("\nMade.\n")


def test_output_formats_need_print(roo: Roo) -> None:
    terminal = roo.terminal("--output-format", "json", "hi")
    assert terminal.exit_code() == 1
    assert "--output-format json works only with --print." in terminal.output


def newest_task(roo: Roo) -> str:
    listed = subprocess.run(
        [*roo.program, "list", "sessions", "-w", str(roo.workspace), "--format", "text"],
        env=roo.environment | {"PATH": os.environ["PATH"]},
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return listed.stdout.partition("\t")[0]
