"""Recordings of what a person said, and for one who watches."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Roo, calls, completion
from tests.cli.recordings import elsewhere

ASKS = calls(ask_followup_question={"question": "Which?", "follow_up": ["red", "blue"]})


def recorded(roo: Roo, recording: Path) -> None:
    """A person approves one call with a remark, refuses another, answers, and says more."""
    roo.serve(
        calls("One.", execute_command={"command": "mkfifo one"}),
        calls("Two.", execute_command={"command": "mkfifo two"}),
        ASKS,
        completion("Green."),
        "Bye.",
    )
    terminal = roo.terminal("-a", "--record", str(recording), "Make files")
    terminal.wait_for("Allow execute_command?")
    terminal.line("y but gently")
    terminal.wait_for("Two.")
    terminal.wait_for("Allow execute_command?")
    terminal.line("n not that one")
    terminal.wait_for("answer: ")
    terminal.line("green")
    terminal.wait_for("Green.")
    terminal.wait_for("> ")
    terminal.line("Good night")
    terminal.wait_for("Bye.")
    terminal.wait_for("> ")
    terminal.line("exit")
    assert terminal.exit_code() == 0


def test_what_a_person_decided_answered_and_said_is_played_without_one(
    roo: Roo, tmp_path: Path
) -> None:
    recording = tmp_path / "talk.jsonl"
    recorded(roo, recording)
    for name, how in (("real", ("--approve", "all")), ("recorded", ("--replay-tools",))):
        other = elsewhere(roo, tmp_path / name)
        done = other.run("-p", *how, "--replay", str(recording), "--replay-strict")
        assert done.returncode == 0, done.stderr
        assert "> green\n" in done.stdout
        assert done.stdout.endswith("\nGreen.\n> Good night\nBye.\n")
        assert (other.workspace / "one").exists() == (name == "real")
        assert not (other.workspace / "two").exists()


def test_at_a_terminal_the_prompt_is_shown_and_the_person_goes_on(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "talk.jsonl"
    roo.serve("Hello, user.", "Fine.")
    assert roo.run("-p", "--record", str(recording), "hi").returncode == 0
    assert roo.run("-p", "-c", "--record", str(recording), "How are you?").returncode == 0
    other = elsewhere(roo, tmp_path / "other", TERM="xterm-256color", NO_COLOR="1")
    terminal = other.terminal("--replay", str(recording))
    terminal.wait_for("> hi\r\n")
    terminal.wait_for("Hello, user.")
    terminal.wait_for("> How are you?\r\n")
    terminal.wait_for("Fine.")
    terminal.wait_for("> ")
    terminal.line("And more?")
    terminal.wait_for("none for model call 3")
    terminal.wait_for("> ")
    terminal.line("exit")
    assert terminal.exit_code() == 1
