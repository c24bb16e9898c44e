"""The key of a run is found nowhere: not on disk, not on the screen, not by the model."""

from __future__ import annotations

from tests.cli.conftest import KEY, Roo, calls, completion


def test_the_key_is_nowhere_on_disk(roo: Roo) -> None:
    roo.serve(
        calls(write_to_file={"path": "a.py", "content": "x = 1\n"}),
        completion("Done."),
    )
    assert roo.run("-p", "--debug", "--api-key", KEY, "Fix calc.py").returncode == 0
    files = roo.store_files()
    assert (roo.home / "cli-debug.log").stat().st_mode & 0o777 == 0o600
    assert any(b"Fix calc.py" in file.read_bytes() for file in files)
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


def test_a_command_that_prints_the_key_tells_it_to_nobody(roo: Roo) -> None:
    (roo.workspace / ".env").write_text(
        f"ANTHROPIC_API_KEY={KEY}\n"
    )  # commands get no such variable
    server = roo.serve(calls(execute_command={"command": "env; cat .env"}), completion("Done."))
    done = roo.run("-p", "--approve", "all", "Look.", ANTHROPIC_API_KEY=KEY)
    assert done.returncode == 0
    assert KEY not in done.stdout + done.stderr
    assert "ANTHROPIC_API_KEY=***" in done.stdout
    assert KEY not in str(server.requests[-1])
    assert not [file for file in roo.store_files() if KEY.encode() in file.read_bytes()]


def test_a_long_output_with_the_key_in_it_is_kept_without_it(roo: Roo) -> None:
    # More than a preview, so that an artifact is made; the key also split over two writes.
    (roo.workspace / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\n")
    command = (
        ". ./.env; for n in $(seq 3000); do echo $n some words and $ANTHROPIC_API_KEY; done; "
        "part=${ANTHROPIC_API_KEY%?????}; printf %s $part; sleep 0.3; "
        "echo ${ANTHROPIC_API_KEY#$part}"
    )
    server = roo.serve(calls(execute_command={"command": command}), completion("Done."))
    done = roo.run("-p", "--approve", "all", "Look.", ANTHROPIC_API_KEY=KEY)
    assert done.returncode == 0
    [kept] = [file for file in roo.store_files() if file.name.startswith("cmd-")]
    lines = kept.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "1 some words and ***"
    assert lines[2999:] == ["3000 some words and ***", "***"]
    assert KEY not in done.stdout + done.stderr + str(server.requests[-1])
    assert not [file for file in roo.store_files() if KEY.encode() in file.read_bytes()]
