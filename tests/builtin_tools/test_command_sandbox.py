"""Commands in the sandbox: they run, are told of, left, cancelled and ended as any other."""

import asyncio
import contextlib
import shutil
import signal
import sys
import tempfile
import uuid
import venv
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.command_sandbox import CommandSandbox
from roo_code.errors import ToolError
from tests.builtin_tools.calls import Caller, eventually, read_pid
from tests.builtin_tools.test_command_cancels import running
from tests.sandbox.box import works_here

needs_sandbox = pytest.mark.skipif(not works_here(), reason="no sandbox works here")
NO_BUBBLEWRAP = "bubblewrap is not installed. apt install bubblewrap."


@pytest.fixture
def confined(caller: Caller) -> Caller:
    caller.settings |= {"sandbox": "required"}
    return caller


@pytest.fixture
def without_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a shell and little else."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "bash", "cat", "sleep", "grep"):
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(programs))


async def said(caller: Caller, command: str, **more: Any) -> str:
    return (await caller.call("execute_command", command=command, **more)).content


@pytest.mark.usefixtures("without_bubblewrap")
async def test_without_bubblewrap_commands_run_and_it_is_said_once(caller: Caller) -> None:
    caller.settings["sandbox"] = "auto"
    first = await said(caller, "echo out")
    assert first.endswith(
        "Output:\nout\n\n(Sandbox: Commands run with all your rights, for there is no sandbox: "
        f"{NO_BUBBLEWRAP})"
    )
    assert (await said(caller, "echo again")).endswith("Output:\nagain\n")


@pytest.mark.usefixtures("without_bubblewrap")
async def test_where_it_is_required_nothing_runs_without_it(caller: Caller) -> None:
    caller.settings["sandbox"] = "required"
    result = await caller.call("execute_command", command="touch was-here")
    assert result.is_error
    assert result.content == (
        "The sandbox cannot be used: Commands are refused, for there is no sandbox: "
        f"{NO_BUBBLEWRAP}"
    )
    assert list(caller.folder.iterdir()) == []


async def test_a_workspace_that_holds_the_home_is_refused_not_run_bare(
    confined: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not works_here():
        pytest.skip("no sandbox works here")
    monkeypatch.setenv("HOME", str(confined.folder / "home"))
    for mode in ("auto", "required"):
        confined.settings["sandbox"] = mode
        result = await confined.call("execute_command", command="echo ran")
        assert result.is_error
        assert "holds your home folder" in result.content


@needs_sandbox
async def test_output_status_folder_and_terminal_are_those_of_the_command(confined: Caller) -> None:
    (confined.folder / "sub").mkdir()
    told = await said(confined, "pwd; echo err >&2; exit 3", cwd="sub")
    assert f"Exit code: 3\nOutput:\n{confined.folder}/sub\nerr\n" in told
    assert "Still running" not in told
    assert "Output:\ntty\n" in await said(confined, "test -t 1 && echo tty", terminal=True)


@needs_sandbox
async def test_a_command_goes_on_in_the_background_and_is_stopped(confined: Caller) -> None:
    word = uuid.uuid4().hex
    told = await said(confined, f"echo up; exec -a {word} sleep 1000", timeout=0.5)
    assert "goes on in the background" in told
    assert running(word)
    stopped = await confined.call("background_command", action="stop")
    assert "was stopped" in stopped.content
    assert running(word) == []


@needs_sandbox
async def test_the_end_of_the_task_ends_its_commands_and_frees_the_sandbox(
    confined: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    word = uuid.uuid4().hex
    await said(confined, f"exec -a {word} sleep 1000", timeout=0.2)
    assert len(list(tmp_path.glob("roo-sandbox-*"))) == 1
    await confined.resources.aclose()
    assert running(word) == []
    assert list(tmp_path.glob("roo-sandbox-*")) == []


@needs_sandbox
async def test_many_at_once_share_one_sandbox(
    confined: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = await asyncio.gather(*(said(confined, f"echo {n}") for n in range(20)))
    assert all(f"Output:\n{n}\n" in text for n, text in enumerate(told))
    assert len(list(tmp_path.glob("roo-sandbox-*"))) == 1


@needs_sandbox
async def test_cancelled_commands_leave_nothing_behind(confined: Caller) -> None:
    word = uuid.uuid4().hex
    child = f"(exec -a {word} sleep 1041) & (setsid bash -c 'exec -a {word} sleep 1042') & "
    for batch in range(10):
        confined.events.clear()
        calls = [
            asyncio.create_task(said(confined, f"{child} echo up; wait # {n}", terminal=n % 4 == 0))
            for n in range(20)
        ]
        if batch % 2:
            await eventually(lambda: confined.live.count("up\n") >= 10)
        for call in calls:
            call.cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        await eventually(lambda: running(word) == [])


HOST = """
import asyncio, sys
from pathlib import Path
from tests.builtin_tools.calls import Caller, FolderOfArtifacts

async def main():
    caller = Caller(Path(sys.argv[1]), FolderOfArtifacts(Path(sys.argv[1], "kept")))
    caller.settings["sandbox"] = "required"
    command = f"(setsid bash -c 'exec -a {sys.argv[2]} sleep 1000') & echo 1 > up; " \
        f"exec -a {sys.argv[2]} sleep 1000"
    await caller.call("execute_command", command=command)

asyncio.run(main())
"""


@needs_sandbox
async def test_nothing_is_left_if_we_are_killed(caller: Caller) -> None:
    word = uuid.uuid4().hex
    host = await asyncio.create_subprocess_exec(sys.executable, "-c", HOST, caller.folder, word)
    try:
        await eventually(lambda: read_pid(caller.folder / "up"))
        await eventually(lambda: len(running(word)) >= 2)
    finally:
        with contextlib.suppress(ProcessLookupError):
            host.send_signal(signal.SIGKILL)
        await host.wait()
    await eventually(lambda: running(word) == [])


@needs_sandbox
async def test_a_server_is_confined_by_the_same_call(tmp_path: Path) -> None:
    sandbox = CommandSandbox({"sandbox": "required"}, tmp_path)
    try:
        command = await sandbox.wrap(
            ["/bin/sh", "-c", "echo $TOKEN; ls ~"], tmp_path, {"TOKEN": "of the server"}
        )
        process = await asyncio.create_subprocess_exec(
            *command.argv, env=command.environment, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert output.startswith(b"of the server\n")
        with pytest.raises(ToolError, match="is not to be seen"):
            await sandbox.wrap(["true"], Path("/srv"), {})
    finally:
        await sandbox.aclose()


@needs_sandbox
async def test_what_the_user_lists_is_shown_and_handed_on(
    confined: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("read", "write"):
        (tmp_path / name).mkdir()
    confined.settings |= {
        "sandboxReadable": [str(tmp_path / "read")],
        "sandboxWritable": [str(tmp_path / "write")],
        "commandEnvironment": ["MY_TOKEN"],
    }
    monkeypatch.setenv("MY_TOKEN", "chosen")
    monkeypatch.setenv("OTHER_TOKEN", "not chosen")
    told = await said(
        confined,
        f"echo $MY_TOKEN $OTHER_TOKEN; touch {tmp_path}/write/x; touch {tmp_path}/read/x",
    )
    assert "Output:\nchosen\n" in told
    assert [path.name for path in tmp_path.rglob("x")] == ["x"]
    assert (tmp_path / "write" / "x").exists()


@needs_sandbox
async def test_a_listed_folder_that_is_missing_is_told(confined: Caller, tmp_path: Path) -> None:
    confined.settings["sandboxWritable"] = [str(tmp_path / "nowhere")]
    result = await confined.call("execute_command", command="true")
    assert result.is_error
    assert "sandboxWritable lists" in result.content


@needs_sandbox
async def test_the_virtual_environment_of_the_workspace_works(confined: Caller) -> None:
    venv.create(confined.folder / ".venv", with_pip=False, symlinks=True)
    told = await said(confined, ".venv/bin/python -c 'import sys, json; print(sys.prefix)'")
    assert f"Exit code: 0\nOutput:\n{confined.folder}/.venv\n" in told


@needs_sandbox
async def test_what_the_network_refused_is_told_once(confined: Caller) -> None:
    confined.settings |= {"sandboxNetwork": "hosts", "sandboxHosts": ["pypi.org"]}
    fetch = "python3 -c 'import urllib.request as r; r.urlopen(\"http://example.org/\")'"
    first = await said(confined, fetch)
    assert "HTTP Error 403: example.org:80 was refused" in first
    assert first.endswith("\n(Sandbox: example.org:80 was refused; it is not on sandboxHosts.)")
    assert "(Sandbox:" not in await said(confined, fetch)
    other = await said(confined, fetch.replace("http:", "https:"))
    assert "(Sandbox: example.org:443 was refused" in other


@needs_sandbox
async def test_a_list_that_is_no_list_of_hosts_is_said(confined: Caller) -> None:
    confined.settings |= {"sandboxNetwork": "hosts", "sandboxHosts": ["https://pypi.org/"]}
    result = await confined.call("execute_command", command="true")
    assert result.is_error
    assert "sandboxHosts lists 'https://pypi.org/', which is not a host. Write" in result.content
