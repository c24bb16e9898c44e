"""Keys are in no recording, wherever they come from and however they get there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from roo_code.providers.recording import read_recording
from roo_code.stream import BlockDelta
from roo_code.testing.model_replies import ScriptedCall, ScriptedReply
from tests.cli.conftest import KEY, Roo, calls, completion
from tests.cli.recordings import elsewhere, record_task, stored_events

PLAIN = "planted.plain/value-0815"
SHAPED = {
    "openai": "sk-proj-abcDEF0123456789abcDEF0123456789",
    "google": "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "amazon": "AKIA" + "IOSFODNN7EXAMPLE",
}
ECHO = "echo key=$ANTHROPIC_API_KEY; env | sort; printf 'Authorization: Bearer tok-%s\\n' 12345678"


def hand_on(roo: Roo, *names: str) -> None:
    """Have commands get these variables, which they do not by themselves."""
    file = roo.home / "settings" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"commandEnvironment": names}), encoding="utf-8")


def everything(recording: Path) -> str:
    """The file as it is, as its strings are, and its replies put together again."""
    text = recording.read_text(encoding="utf-8")
    values = [json.loads(line) for line in text.splitlines()]
    replies = [
        "".join(chunk.text for _, chunk in line.chunks if isinstance(chunk, BlockDelta))
        for line in read_recording(recording).replies.values()
    ]
    return "\n".join([text, *map(str, values), *replies, *strings(values)])


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [found for item in cast(dict[str, Any], value).values() for found in strings(item)]
    if isinstance(value, list):
        return [found for item in cast(list[Any], value) for found in strings(item)]
    return [str(value)]


def said(text: str) -> list[ScriptedReply]:
    """The environment printed, and the text in the model's words and in a call's input."""
    told = ScriptedCall(id="w", name="write_to_file", input={"path": "k.txt", "content": text})
    return [
        calls(execute_command={"command": ECHO}),
        ScriptedReply(text=f"I saw {text}!", reasoning=text, tool_calls=(told,), chunk_size=3),
        completion(f"It is {text}."),
    ]


@pytest.mark.parametrize("where", ["environment", "flag"])
@pytest.mark.parametrize("key", [KEY, PLAIN])
def test_the_key_of_the_run_is_not_in_its_recording(
    roo: Roo, tmp_path: Path, where: str, key: str
) -> None:
    recording = tmp_path / "run.jsonl"
    hand_on(roo, "ANTHROPIC_API_KEY")
    roo.serve(*said(key), key=key)
    flag = ("--api-key", key) if where == "flag" else ()
    roo.environment["ANTHROPIC_API_KEY"] = key if where == "environment" else ""
    done = roo.run("-p", "--approve", "all", *flag, "--record", str(recording), f"What is {key}?")
    assert done.returncode == 0, done.stderr
    found = everything(recording)
    assert key not in found
    assert "I saw ***!" in found
    assert "tok-12345678" not in found


def test_a_key_of_the_environment_is_not_in_a_recording_made_afterwards(
    roo: Roo, tmp_path: Path
) -> None:
    recording = tmp_path / "after.jsonl"
    roo.environment |= {"ANTHROPIC_API_KEY": PLAIN, "DEPLOY_PASSWORD": "hunter2-hunter2"}
    hand_on(roo, *roo.environment)
    roo.serve(*said(PLAIN), key=PLAIN)
    assert roo.run("-p", "--approve", "all", f"What is {PLAIN}?").returncode == 0
    made = record_task(roo, stored_events(roo)[0], recording)
    assert made.returncode == 0, made.stderr
    found = everything(recording)
    assert PLAIN not in found
    assert "hunter2-hunter2" not in found
    assert "DEPLOY_PASSWORD=***" in found


@pytest.mark.parametrize("afterwards", [False, True])
def test_a_stored_key_is_in_no_recording(roo: Roo, tmp_path: Path, afterwards: bool) -> None:
    recording = tmp_path / "run.jsonl"
    del roo.environment["ANTHROPIC_API_KEY"]
    stored = subprocess.run(
        [*roo.program, "config", "set", "apiKey"],
        env=roo.environment, input=PLAIN.encode(), capture_output=True, timeout=50, check=False,
    )  # fmt: skip
    assert stored.returncode == 0, stored.stderr
    roo.serve(*said(PLAIN), key=PLAIN)
    record = () if afterwards else ("--record", str(recording))
    done = roo.run("-p", "--approve", "all", *record, f"What is {PLAIN}?")
    assert done.returncode == 0, done.stderr
    if afterwards:
        assert record_task(roo, stored_events(roo)[0], recording).returncode == 0
    assert PLAIN not in everything(recording)


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("afterwards", [False, True])
def test_what_looks_like_a_key_is_not_recorded(
    roo: Roo, tmp_path: Path, name: str, afterwards: bool
) -> None:
    recording = tmp_path / "run.jsonl"
    (roo.workspace / ".env").write_text(f"X={SHAPED[name]}\n", encoding="utf-8")
    roo.serve(calls(read_file={"path": ".env"}), *said(SHAPED[name]))
    record = () if afterwards else ("--record", str(recording))
    assert roo.run("-p", "--approve", "all", *record, "Look").returncode == 0
    if afterwards:
        assert record_task(roo, stored_events(roo)[0], recording).returncode == 0
    assert SHAPED[name] not in everything(recording)


def test_a_recording_without_its_keys_still_plays(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    show = calls(execute_command={"command": "echo key=$ANTHROPIC_API_KEY"})
    hand_on(roo, "ANTHROPIC_API_KEY")
    roo.serve(show, completion(f"It is {KEY}."))
    assert roo.run("-p", "--approve", "all", "--record", str(recording), "Look").returncode == 0
    replay = ("-p", "--approve", "all", "--replay", str(recording), "--replay-strict")
    other = elsewhere(roo, tmp_path / "other", ANTHROPIC_API_KEY="other.key-of.another")
    hand_on(other, "ANTHROPIC_API_KEY")
    done = other.run(*replay)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("It is ***.\n")
    none = elsewhere(roo, tmp_path / "none")
    assert "-key=***\n+key=\n" in none.run(*replay).stderr, "that is a difference"
