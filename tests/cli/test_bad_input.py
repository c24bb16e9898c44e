"""Whatever is wrong, the command says so in a sentence, exits 1 and loses nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Roo, calls, completion

NO_SUCH = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"

MISTAKES: list[tuple[list[str], str]] = [
    (["--provider", "antropic", "hi"], "no provider 'antropic'. Known providers: anthropic,"),
    (["--provider", "antropic", "hi"], "Did you mean 'anthropic'?"),
    (["--provider", "openai", "hi"], "There is no API key for openai"),
    (["--mode", "cook", "hi"], "no mode 'cook'. Modes: code, architect, ask, debug, orchestrator."),
    (["--session-id", NO_SUCH], f"There is no task '{NO_SUCH}'."),
    (["--session-id", NO_SUCH, "hi"], "`roo tasks list` shows the tasks there are."),
    (["--continue"], "There is no task in "),
    (["--create-with-session-id", "7", "hi"], "'7' is not a UUID."),
    (["--no-such-flag", "hi"], "No such option '--no-such-flag'."),
    (["--workspace", "/no/such/folder", "hi"], "'/no/such/folder' cannot be used: No such file"),
    (["--workspace", "/etc/passwd", "hi"], "The workspace '/etc/passwd' is not a folder."),
    (["--base-url", "localhost:1", "hi"], "must start with http:// or https://"),
    (["--max-cost", "0", "hi"], "'0' is not an amount above 0"),
    (["--max-cost", "inf", "hi"], "'inf' is not an amount above 0"),
    (["--max-turns", "0", "hi"], "Invalid value for '--max-turns'"),
    (["--max-cost", "1", "--model", "new-one", "hi"], "price of model 'new-one' is not known"),
    (["--approve", "most", "hi"], "Invalid value for '--approve'"),
    (["--output-format", "xml", "hi"], "Invalid value for '--output-format'"),
    (["--reasoning-effort", "huge", "hi"], "Invalid value for '-r'"),
    (["--prompt-file", "/no/such/file"], "The prompt file '/no/such/file' cannot be read: No such"),
    (["--prompt-file", "/etc", "hi"], "PROMPT and --prompt-file cannot be used together."),
    (["--prompt-file", "/etc"], "The prompt file '/etc' cannot be read: Is a directory."),
    (["--session-id", NO_SUCH, "--continue"], "--session-id and --continue cannot"),
    (["--session-id", NO_SUCH, "--ephemeral"], "--ephemeral and --session-id or --continue cannot"),
    (["--approve", "all", "-a", "hi"], "--approve and --require-approval cannot be used together."),
    (["--approve", "full-auto-in-sandbox", "--sandbox", "off", "hi"],
     "--approve full-auto-in-sandbox and --sandbox off cannot be used together."),
    (["two", "words"], "The prompt must be one argument; put it in quotes: roo 'two words'"),
    (["--mode", "code", "task", "list"], "put it in quotes: roo 'task list'"),
    ([""], "The prompt is empty."),
    ([" \n"], "The prompt is empty."),
    ([], "There is no prompt."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), MISTAKES)
def test_a_mistake_is_named(roo: Roo, arguments: list[str], expected: str) -> None:
    done = roo.run("-p", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_without_a_key_it_is_said_what_to_set(roo: Roo) -> None:
    done = roo.run("-p", "hi", ANTHROPIC_API_KEY="")
    assert done.returncode == 1
    assert "Set ANTHROPIC_API_KEY, OPENROUTER_API_KEY, OPENAI_API_KEY or another" in done.stderr
    assert "--provider" in done.stderr


@pytest.mark.parametrize("how", ["file", "pipe", "argument"])
def test_a_prompt_must_be_utf_8(roo: Roo, tmp_path: Path, how: str) -> None:
    bad = b"caf\xe9"
    file = tmp_path / "prompt"
    file.write_bytes(bad)
    arguments = {"file": ["--prompt-file", str(file)], "pipe": [], "argument": [os.fsdecode(bad)]}
    done = roo.run("-p", *arguments[how], input=bad if how == "pipe" else None)
    assert done.returncode == 1
    assert "is not valid UTF-8: byte 0xe9 at offset 3." in done.stderr


def test_a_workspace_that_may_not_be_read(roo: Roo) -> None:
    program = roo.command("-p", "hi")
    if os.geteuid() == 0:  # who may read everything, unless that is taken away
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything")
        program = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *program]
    roo.workspace.chmod(0)
    try:
        done = subprocess.run(
            program, env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=50, check=False,
        )  # fmt: skip
    finally:
        roo.workspace.chmod(0o700)
    assert done.returncode == 1
    assert "cannot be read: Permission denied." in done.stderr


def test_a_store_of_a_newer_version(roo: Roo) -> None:
    store = roo.home / "state" / "tasks.sqlite3"
    store.parent.mkdir(parents=True)
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("PRAGMA user_version=999")
    db.close()
    done = roo.run("-p", "hi")
    assert done.returncode == 1
    assert "was written by a newer version of Roo Code" in done.stderr
    assert "Upgrade Roo Code, or set ROO_HOME to another folder." in done.stderr


@pytest.mark.parametrize("format", ["text", "json", "stream-json"])
def test_a_damaged_store(roo: Roo, format: str) -> None:
    store = roo.home / "state" / "tasks.sqlite3"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"not a database" * 1000)
    done = roo.run("-p", "--output-format", format, "hi")
    assert done.returncode == 1
    assert "file is not a database" in done.stderr
    assert (format == "text") == ('"success"' not in done.stdout)


def test_a_home_that_is_no_folder(roo: Roo) -> None:
    roo.home.write_text("", encoding="utf-8")
    done = roo.run("-p", "hi")
    assert done.returncode == 1
    assert "cannot be used: [Errno 20] Not a directory" in done.stderr
    assert "cli-debug.log' cannot be written: " in roo.run("-d", "hi").stderr


def mounted(roo: Roo, option: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run with a file system of its own as home."""
    roo.home.mkdir()
    script = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", script, "sh", option, str(roo.home)]
    return subprocess.run(
        [*prefix, *roo.command(*arguments)],
        env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50,
        check=False,
    )  # fmt: skip


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="no file system can be mounted here")


@needs_mount
def test_a_read_only_home(roo: Roo) -> None:
    roo.serve("Never said.")
    done = mounted(roo, "ro", "-p", "hi")
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr
    assert "set ROO_HOME to another one, or use --ephemeral." in done.stderr


@needs_mount
@pytest.mark.parametrize("size", ["60k", "200k", "400k"])
def test_a_full_disk_ends_the_run_with_what_to_do(roo: Roo, size: str) -> None:
    """At the start, or later, when the driver behind the screen fails."""
    lines = "x" * 100_000
    roo.serve(
        calls(write_to_file={"path": "a", "content": lines}),
        calls(write_to_file={"path": "b", "content": lines}),
        calls(write_to_file={"path": "c", "content": lines}),
        completion("Never reached."),
    )
    done = mounted(roo, f"size={size}", "-p", "Write")
    assert done.returncode == 1
    assert "database or disk is full" in done.stderr
    assert "Free some disk space and resume the task" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_the_caller_closed(roo: Roo, closed: str) -> None:
    """A store opened as file 1 would have our output written into it."""
    roo.serve(calls(write_to_file={"path": "x", "content": "y"}), completion("Done."))
    line = f"{shlex.join(roo.command('-p', 'Write'))} {closed}"
    done = subprocess.run(["sh", "-c", line], env=roo.environment, timeout=50, check=False)
    assert done.returncode == 0
    assert (roo.workspace / "x").read_text(encoding="utf-8") == "y"
    assert "Done." in roo.run("-p", "--continue").stdout
