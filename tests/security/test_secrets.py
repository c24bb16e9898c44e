"""Keys that a run uses, meets or is told appear in nothing that it keeps or shows."""

import logging
from pathlib import Path

import pytest

from roo_code.cli.debug_log import WithoutKeys
from roo_code.commands import AnswerQuestion, RespondToApproval, SendMessage, StartTask
from roo_code.events import TaskSpec
from roo_code.mcp_client.benchmark import LINE, Benchmark
from roo_code.redaction import redact
from roo_code.task.hidden_keys import without_keys
from tests.cli.conftest import KEY, Roo, calls, completion
from tests.redaction.keys import KEYS, MIXED

GITHUB, PEM, JWT = KEYS["github classic"], KEYS["openssh"], KEYS["jwt"]
DEPLOY = "correct-horse-battery-staple-7"
"""Has no shape: it is known by the name of its variable."""
PLANTED = (KEY, GITHUB, JWT, DEPLOY, MIXED)


def kept(roo: Roo) -> bytes:
    return b"".join(file.read_bytes() for file in roo.store_files())


@pytest.mark.requirement("security:secrets:not-leaked")
def test_no_key_is_kept_or_shown_whoever_prints_it(roo: Roo, tmp_path: Path) -> None:
    many = "\n".join(f"{n} some words and {GITHUB}" for n in range(3_000))
    (roo.workspace / "many.txt").write_text(many)
    (roo.workspace / ".env").write_text(f"A={GITHUB}\nB={JWT}\n{PEM}\nC={DEPLOY}\n")
    server = roo.serve(
        calls(
            read_file={"path": ".env"},
            execute_command={"command": "cat .env many.txt"},
            search_files={"path": ".", "regex": "horse", "file_pattern": ".env"},
            write_to_file={"path": "out.txt", "content": f"key = {GITHUB}\n"},
        ),
        completion("Done."),
    )
    recording = tmp_path / "home" / "recording.jsonl"
    done = roo.run(
        "-p", "--debug", "--approve", "all", "--record", str(recording),
        f"Use {KEY}, {DEPLOY} and look at @/.env",
        DEPLOY_PASSWORD=DEPLOY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (roo.home / "cli-debug.log").stat()
    assert [file for file in roo.store_files() if file.name.startswith("cmd-")]
    # What the model wrote is its own words, and is written as it is.
    assert (roo.workspace / "out.txt").read_text() == f"key = {GITHUB}\n"
    everything = (kept(roo), done.stdout.encode(), done.stderr.encode())
    results = str([request.body["messages"] for request in server.requests])
    assert "Use ***, *** and look at" in results
    for text in everything:
        assert [key for key in (KEY, DEPLOY, JWT, MIXED + "\n") if key.encode() in text] == []
    assert f"some words and {GITHUB}".encode() not in b"".join(everything)
    assert f"some words and {GITHUB}" not in results
    assert b"some words and ***" in kept(roo)


@pytest.mark.requirement("security:secrets:not-leaked")
def test_an_error_that_repeats_keys_is_told_without_them(roo: Roo) -> None:
    roo.serve(completion("Done."), key="sk-another-0123456789")
    done = roo.run("-p", "--debug", "Go.")
    assert done.returncode == 1
    told = done.stdout + done.stderr + kept(roo).decode("utf-8", "replace")
    assert [key for key in (*PLANTED, "sk-another-0123456789") if key in told] == []


@pytest.mark.requirement("security:secrets:not-leaked")
def test_the_log_hides_keys_in_arguments_and_in_tracebacks() -> None:
    try:
        raise ValueError(f"bad key {GITHUB}")
    except ValueError as error:
        caught = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "sent %s", (JWT,), caught)
    shown = WithoutKeys("%(message)s").format(record)
    assert shown.startswith("sent ***\n")
    assert "ValueError: bad key ***" in shown
    assert [key for key in PLANTED if key in shown] == []


@pytest.mark.requirement("security:secrets:not-leaked")
def test_a_benchmark_line_of_mcp_hides_keys(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    cut_off = "-----BEGIN PRIVATE KEY-----\ncut off"
    facts = {"tool_name": "t", "duration": 1.0, "response_size": 2}
    Benchmark(detailed=True, hide=redact).tell_call(
        "mcp:tool:success", "server", {"key": GITHUB}, {"content": [JWT, cut_off]}, **facts
    )
    assert LINE in caplog.text
    assert '"arguments":{"key":"***"},"result":{"content":["***","***"]}' in caplog.text
    assert [key for key in (*PLANTED, "cut off") if key in caplog.text] == []


def test_what_a_user_says_keeps_what_only_looks_like_a_key() -> None:
    redact.add(["known-to-this-process-42"])
    said = f"use known-to-this-process-42, not {GITHUB}"
    heard = f"use ***, not {GITHUB}"
    spec = TaskSpec(prompt=said, workspace="/w", provider={})
    commands = [
        without_keys(StartTask(spec=spec)),
        without_keys(SendMessage(task_id="t", text=said)),
        without_keys(AnswerQuestion(task_id="t", tool_use_id="c", answer=said)),
        without_keys(
            RespondToApproval(task_id="t", tool_use_id="c", approved=False, feedback=said)
        ),
    ]
    for command in commands:
        assert heard in command.to_json()
        assert "known-to" not in command.to_json()
