import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.workspace import processes
from tests.builtin_tools.calls import Caller, eventually, is_alive, read_pid


@pytest.mark.requirement("tools:execute-command:shell")
async def test_output_and_exit_status_are_returned(caller: Caller) -> None:
    result = await caller.call("execute_command", command="echo out; echo err >&2; pwd")
    assert not result.is_error
    assert result.content == (
        f"Command executed in terminal within working directory '{caller.folder}'. Exit code: 0\n"
        f"Output:\nout\nerr\n{caller.folder}\n"
    )


@pytest.mark.requirement("tools:execute-command:shell")
async def test_a_command_that_fails_shows_its_status(caller: Caller) -> None:
    result = await caller.call("execute_command", command="echo oops; exit 3")
    assert "Exit code: 3\nOutput:\noops\n" in result.content
    assert "did not succeed" in result.content


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("kill -TERM $$", "Process terminated by signal SIGTERM\n"),
        ("kill -SEGV $$", "Process terminated by signal SIGSEGV, which usually leaves a core"),
        ("sh -c 'kill -KILL $$'; exit $?", "Exit code: 137 (it may have been ended by signal"),
        ("exit 255", "Exit code: 255\n"),
    ],
)
async def test_signals_are_told(caller: Caller, command: str, status: str) -> None:
    assert status in (await caller.call("execute_command", command=command)).content


async def test_a_command_runs_where_it_is_told(caller: Caller) -> None:
    (caller.folder / "sub").mkdir()
    result = await caller.call("bash", cmd="pwd", workdir="sub")
    assert f"Output:\n{caller.folder}/sub\n" in result.content


async def test_a_folder_that_is_missing_or_a_file_is_an_error(caller: Caller) -> None:
    (caller.folder / "file").write_bytes(b"")
    results = [await caller.call("execute_command", command="pwd", cwd=c) for c in ("no", "file")]
    assert [(result.is_error, result.content) for result in results] == snapshot(
        [
            (True, "Working directory 'no' does not exist."),
            (True, "Working directory 'file' is not a folder."),
        ]
    )


@pytest.mark.requirement("security:files:confined")
async def test_a_folder_outside_the_workspace_is_refused(caller: Caller) -> None:
    (caller.folder / "link").symlink_to("/tmp")
    for cwd in ("..", "/tmp", "link"):
        result = await caller.call("execute_command", command="touch was-here", cwd=cwd)
        assert result.is_error
        assert "outside the workspace" in result.content


@pytest.mark.parametrize(
    ("command", "output"),
    [(["echo", "a b", "$HOME"], "a b $HOME\n"), (["bash", "-lc", "echo $((1+1))"], "2\n")],
)
async def test_a_command_may_come_as_a_list(
    caller: Caller, command: list[str], output: str
) -> None:
    result = await caller.call("shell", command=command)
    assert result.content.endswith(f"Output:\n{output}")


async def test_nothing_can_be_typed_in(caller: Caller) -> None:
    result = await caller.call("execute_command", command="cat; read x || echo closed")
    assert result.content.endswith("Output:\nclosed\n")


@pytest.mark.parametrize("command", ["", "a\0b", "x" * 200_000])
async def test_a_command_no_shell_could_run_is_an_error(caller: Caller, command: str) -> None:
    result = await caller.call("execute_command", command=command)
    assert result.is_error


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
async def test_output_is_shown_while_the_command_runs(caller: Caller) -> None:
    os.mkfifo(caller.folder / "gate")
    command = "echo one; read line < gate; echo $line"
    running = asyncio.create_task(caller.call("execute_command", command=command))
    await eventually(lambda: caller.live == "one\n")
    assert not running.done()
    await asyncio.to_thread((caller.folder / "gate").write_text, "two\n", encoding="ascii")
    assert (await running).content.endswith("Output:\none\ntwo\n")
    assert caller.live == "one\ntwo\n"


async def test_progress_bars_and_colours_are_folded(caller: Caller) -> None:
    command = r"printf '\033[32m 10%%\r 50%%\r100%%\033[0m\nbroken \377\n'"
    result = await caller.call("execute_command", command=command)
    assert result.content.endswith("Output:\n100%\nbroken \ufffd\n")


TREE = """
sleep 1001 & echo $! > child.pid
setsid sleep 1002 & echo $! > session.pid
(setsid sh -c 'echo $$ > daemon.pid; exec sleep 1003' &)
wait
"""


async def tree_of(caller: Caller) -> list[int]:
    files = [caller.folder / f"{name}.pid" for name in ("child", "session", "daemon")]
    await eventually(lambda: all(read_pid(file) for file in files))
    pids = [read_pid(file) for file in files]
    assert all(is_alive(pid) for pid in pids)
    return pids


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
async def test_cancelling_ends_the_whole_tree_before_it_returns(caller: Caller) -> None:
    running = asyncio.create_task(caller.call("execute_command", command=TREE))
    pids = await tree_of(caller)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not [pid for pid in pids if is_alive(pid)]


async def test_being_cancelled_twice_does_not_leave_the_tree(caller: Caller) -> None:
    running = asyncio.create_task(caller.call("execute_command", command=TREE))
    pids = await tree_of(caller)
    for _ in range(3):
        running.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not [pid for pid in pids if is_alive(pid)]


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
async def test_the_users_time_limit_kills_the_whole_tree(caller: Caller) -> None:
    caller.settings = {"commandExecutionTimeout": 0.7}
    result = await caller.call("execute_command", command=f"echo begun; {TREE}")
    assert result.is_error
    assert "longer than the 0.7 s that the user allows" in result.content
    assert result.content.endswith("Output until then:\nbegun\n")
    pids = [read_pid(file) for file in caller.folder.glob("*.pid")]
    assert len(pids) == 3
    assert not [pid for pid in pids if is_alive(pid)]


async def test_a_cancel_while_the_limit_kills_is_not_lost(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "TERM_GRACE", 20)
    caller.settings = {"commandExecutionTimeout": 0.7}
    command = "trap 'touch asked' TERM; echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done"
    running = asyncio.create_task(caller.call("execute_command", command=command))
    await eventually(lambda: (caller.folder / "asked").exists())
    running.cancel()
    (caller.folder / "go").touch()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not is_alive(read_pid(caller.folder / "pid"))


async def test_the_user_can_except_commands_from_the_limit(caller: Caller) -> None:
    caller.settings = {"commandExecutionTimeout": 0.01, "commandTimeoutAllowlist": ["sleep"]}
    assert "Exit code: 0" in (await caller.call("execute_command", command="sleep 0.3")).content


async def test_after_the_models_time_the_command_goes_on(caller: Caller) -> None:
    os.mkfifo(caller.folder / "gate")
    command = "echo one; read line < gate; echo $line; exit 4"
    result = await caller.call("execute_command", command=command, timeout=0.2)
    assert not result.is_error
    assert "still running" in result.content
    assert result.content.endswith("Output so far:\none\n")
    [artifact] = caller.artifacts.folder.iterdir()
    assert artifact.name in result.content
    assert re.fullmatch(r"cmd-\d+\.txt", artifact.name)
    await asyncio.to_thread((caller.folder / "gate").write_text, "two\n", encoding="ascii")
    await eventually(lambda: b"Exit code: 4" in artifact.read_bytes())
    assert artifact.read_bytes().startswith(b"one\ntwo\n")


async def test_output_without_end_is_bounded(caller: Caller) -> None:
    result = await caller.call("execute_command", command="yes", timeout=0.2)
    assert len(result.content) < 12_000
    assert len(caller.live) < 200_000


async def test_a_child_in_the_background_does_not_hold_up_the_result(caller: Caller) -> None:
    result = await caller.call("execute_command", command="sleep 1005 & echo $!")
    [pid] = map(int, re.findall(r"^(\d+)$", result.content, re.MULTILINE))
    assert f"Still running in the background: {pid}." in result.content
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)
    await eventually(lambda: not is_alive(pid))


async def test_long_output_is_previewed_and_kept_whole(caller: Caller) -> None:
    result = await caller.call("execute_command", command="seq 1 100000")
    whole = "".join(f"{n}\n" for n in range(1, 100_001))
    [artifact] = caller.artifacts.folder.iterdir()
    assert artifact.read_text(encoding="ascii") == whole
    assert f"Output ({len(whole) / 1024:.1f} KB) persisted. Artifact ID: {artifact.name}" in (
        result.content
    )
    preview = result.content.partition("Preview:\n")[2]
    assert preview.startswith("1\n2\n3\n")
    assert preview.endswith("99999\n100000\n")
    assert len(preview) < 11_000


async def test_the_size_of_the_preview_is_a_setting(caller: Caller) -> None:
    caller.settings = {"terminalOutputPreviewSize": "small"}
    result = await caller.call("execute_command", command="seq 1 100000")
    assert len(result.content) < 6_000


HOST = """
import asyncio, sys
from pathlib import Path
from roo_code.builtin_tools.registry import create_registry
from roo_code.messages import ToolUseContent
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

call = ToolUseContent(id="1", name="execute_command", input={"command": sys.argv[1]})
context = ToolContext(workspace=Workspace(Path(sys.argv[2])))
asyncio.run(create_registry().execute(call, context))
"""


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
async def test_a_killed_host_leaves_no_orphans(caller: Caller) -> None:
    with subprocess.Popen([sys.executable, "-c", HOST, TREE, str(caller.folder)]) as host:
        pids = await tree_of(caller)
        host.kill()
    await eventually(lambda: not any(is_alive(pid) for pid in pids))
    assert not [pid for pid in pids if is_alive(pid)]


def test_a_background_command_does_not_keep_the_program_from_ending(tmp_path: Path) -> None:
    script = HOST.replace("sys.argv[1]}", 'sys.argv[1], "timeout": 0.1}')
    host = [sys.executable, "-c", script, "sleep 1006", str(tmp_path)]
    assert subprocess.run(host, timeout=20, check=True).returncode == 0
