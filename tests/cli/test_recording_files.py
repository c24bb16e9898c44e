"""Recordings as files: cut off, damaged, in the way, made anew."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from roo_code.providers.recording import read_recording
from tests.cli.conftest import Roo, calls, completion
from tests.cli.recordings import elsewhere, fix, record_task, stored_events


@pytest.mark.parametrize("kept", [1, 2, 3, 5, 6])
def test_a_recording_that_was_cut_off_plays_as_far_as_it_goes(
    roo: Roo, tmp_path: Path, kept: int
) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(recording), "Fix calc.py")
    lines = recording.read_bytes().splitlines(keepends=True)
    recording.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording))
    assert done.returncode == 1
    if kept == 1:
        assert "holds no request, so there is no prompt in it" in done.stderr
    else:
        replies = (kept - 2) // 3 + (kept % 3 == 0)
        assert f"holds {replies} replies and none for model call {replies + 1}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_recording_is_told_with_its_line(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(recording), "Fix calc.py")
    recording.write_bytes(recording.read_bytes().replace(b'"reply"', b'"repli"', 1))
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording))
    assert done.returncode == 1
    assert f"Error: The recording '{recording}' is damaged in line 3" in done.stderr
    assert not other.home.exists(), "no task was begun"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--replay-tools", "hi"), "need --replay."),
        (("--replay-speed", "2", "hi"), "need --replay."),
        (("--replay-speed", "-1", "--replay", "x"), "-1.0 is not in the range"),
        (("--replay", "x", "--model", "y"), "--replay and a model's options cannot be"),
        (("--replay", "none.jsonl"), "The recording 'none.jsonl' cannot be read: No such file"),
        (("--record", "no/such/folder/x", "hi"), "cannot be written: No such file"),
    ],
)
def test_contradictions_are_told(roo: Roo, arguments: tuple[str, ...], message: str) -> None:
    done = roo.run("-p", *arguments)
    assert done.returncode == 1
    assert message in done.stderr, shlex.join(arguments)


def test_an_older_recording_is_not_overwritten(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve("One.", "Two.")
    roo.run("-p", "--record", str(recording), "Count")
    task_id, _ = stored_events(roo)
    before = recording.read_bytes()
    for again in (
        roo.run("-p", "--record", str(recording), "Count"),
        record_task(roo, task_id, recording),
    ):
        assert again.returncode == 1
        assert f"Error: The file '{recording}' exists already." in again.stderr
    assert roo.run("-p", "Other words").returncode == 0
    other_task = roo.run("-p", "--continue", "--record", str(recording), "More")
    assert "is that of another task" in other_task.stderr
    assert recording.read_bytes() == before


def test_a_run_that_cannot_begin_leaves_no_file(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "none.jsonl"
    done = roo.run("-p", "--provider", "nobody", "--record", str(recording), "hi")
    assert done.returncode == 1
    assert not recording.exists()


def test_a_task_that_asked_nobody_has_nothing_to_record(roo: Roo, tmp_path: Path) -> None:
    roo.serve("Never said.")
    stopped = roo.run("-p", "--base-url", "http://127.0.0.1:1", "--exit-on-error", "hi")
    assert stopped.returncode == 1
    made = record_task(roo, stored_events(roo)[0], tmp_path / "none.jsonl")
    assert made.returncode == 1
    assert made.stderr.startswith("Error: There is nothing to record: no model has answered")
    assert not (tmp_path / "none.jsonl").exists()


def test_a_replay_may_be_recorded_to_accept_what_changed(roo: Roo, tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(old), "Fix calc.py")
    other = elsewhere(roo, tmp_path / "other")
    (other.workspace / "calc.py").write_text("def add(a, b):\n    return a * b\n", encoding="utf-8")
    changed = other.run("-p", "--replay", str(old), "--record", str(new))
    assert changed.returncode == 0, changed.stderr
    assert "Warning: At model call 2" in changed.stderr
    (other.workspace / "calc.py").write_text("def add(a, b):\n    return a * b\n", encoding="utf-8")
    again = other.run("-p", "--replay", str(new), "--replay-strict")
    assert again.returncode == 0, again.stderr
    assert read_recording(new).header.settings == read_recording(old).header.settings


def test_a_replay_may_be_left_at_any_turn_for_another_model(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(recording), "Fix calc.py")
    (roo.workspace / "calc.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    roo.model = ()
    cut = roo.run("-p", "--replay", str(recording), "--max-turns", "1")
    assert "1 turns of 1 turns" in cut.stderr
    server = roo.serve("never said", calls(read_file={"path": "calc.py"}), completion("Otherwise."))
    task_id = stored_events(roo)[0]
    done = roo.run("-p", "--session-id", task_id, "--max-turns", "9", "--model", "claude-opus-4-5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Otherwise.\n")
    assert [request.body["model"] for request in server.requests] == ["claude-opus-4-5"] * 2
