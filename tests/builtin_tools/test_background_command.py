import asyncio
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.workspace import processes
from tests.builtin_tools.calls import Caller, eventually, is_alive, read_pid


async def leave(caller: Caller, command: str) -> str:
    """Start a command that goes on in the background; its name."""
    known = {*caller.artifacts.folder.glob("*")}
    result = await caller.call("execute_command", command=command, timeout=0.2)
    assert "still running" in result.content
    [artifact] = {*caller.artifacts.folder.iterdir()} - known
    assert f"in the background as {artifact.name}" in result.content
    return artifact.name


async def pid_in(caller: Caller, name: str) -> int:
    await eventually(lambda: read_pid(caller.folder / name))
    return read_pid(caller.folder / name)


async def test_commands_in_the_background_are_listed(caller: Caller) -> None:
    assert (await caller.call("background_command")).content == snapshot(
        "No command runs in the background."
    )
    os.mkfifo(caller.folder / "gate")
    ends = await leave(caller, "read line < gate; exit 3")
    stays = await leave(caller, "sleep 1011")
    await asyncio.to_thread((caller.folder / "gate").write_text, "go\n", encoding="ascii")
    await caller.call("background_command", action="wait", artifact_id=ends)
    listed = (await caller.call("background_command", action="list")).content.splitlines()
    assert listed[0].startswith(f"{ends}: `read line < gate; exit 3` in '{caller.folder}': ")
    assert listed[0].endswith("Exit code: 3")
    assert listed[1].startswith(f"{stays}: `sleep 1011` in '{caller.folder}': running for ")


async def test_a_command_in_the_background_can_be_awaited(caller: Caller) -> None:
    os.mkfifo(caller.folder / "gate")
    name = await leave(caller, "echo one; read line < gate; echo $line; exit 4")
    waiting = asyncio.create_task(
        caller.call("background_command", action="wait", artifact_id=name)
    )
    await asyncio.to_thread((caller.folder / "gate").write_text, "two\n", encoding="ascii")
    result = await waiting
    assert "Exit code: 4" in result.content
    assert "one\ntwo\n" in result.content
    assert caller.live.startswith("one\ntwo\n")


async def test_waiting_ends_before_the_command_does(caller: Caller) -> None:
    await leave(caller, "echo $$ > pid; exec sleep 1012")
    pid = await pid_in(caller, "pid")
    result = await caller.call("background_command", action="wait", timeout=0.1)
    assert "still running" in result.content
    assert is_alive(pid)


async def test_a_command_in_the_background_can_be_stopped(caller: Caller) -> None:
    name = await leave(caller, "echo up; sleep 1013 & echo $! > child; echo $$ > pid; wait")
    pids = [await pid_in(caller, "pid"), await pid_in(caller, "child")]
    result = await caller.call("background_command", action="stop", artifact_id=name)
    assert not result.is_error
    assert result.content.startswith(f"{name} was stopped, with all it had started.\n")
    assert "terminated by signal SIGTERM" in result.content
    assert not any(map(is_alive, pids))
    again = await caller.call("background_command", action="stop", artifact_id=name)
    assert "terminated by signal SIGTERM" in again.content


async def test_what_a_command_left_behind_can_be_stopped(caller: Caller) -> None:
    result = await caller.call("execute_command", command="sleep 1014 & echo $! > child")
    assert "Still running in the background" in result.content
    listed = (await caller.call("background_command")).content
    assert "but processes of it still run" in listed
    name = listed.partition(":")[0]
    await caller.call("background_command", action="stop", artifact_id=name)
    assert not is_alive(read_pid(caller.folder / "child"))


async def test_a_name_that_is_none_is_an_error_that_lists_them(caller: Caller) -> None:
    name = await leave(caller, "sleep 1015")
    await leave(caller, "sleep 1016")
    for input in ({"artifact_id": "cmd-1.txt"}, {}):
        result = await caller.call("background_command", action="stop", **input)
        assert result.is_error
        assert f"{name}: `sleep 1015`" in result.content


async def test_being_cancelled_while_waiting_leaves_the_command_alone(caller: Caller) -> None:
    name = await leave(caller, "echo $$ > pid; exec sleep 1017")
    pid = await pid_in(caller, "pid")
    waiting = asyncio.create_task(
        caller.call("background_command", action="wait", artifact_id=name)
    )
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert is_alive(pid)


async def test_the_users_time_limit_holds_in_the_background_too(caller: Caller) -> None:
    caller.settings = {"commandExecutionTimeout": 0.5}
    name = await leave(caller, "echo $$ > pid; exec sleep 1018")
    result = await caller.call("background_command", action="wait", artifact_id=name)
    assert result.is_error
    assert "longer than the 0.5 s that the user allows" in result.content
    assert not is_alive(read_pid(caller.folder / "pid"))
    assert "limit was over" in (await caller.call("background_command")).content


async def test_all_end_with_the_task(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    await leave(caller, "echo $$ > one.pid; exec sleep 1019")
    await leave(caller, "trap '' TERM HUP; echo $$ > two.pid; sleep 1020 & wait")
    await caller.call(
        "execute_command", command="setsid sleep 1021 >/dev/null & echo $! > three.pid"
    )
    pids = [await pid_in(caller, f"{name}.pid") for name in ("one", "two", "three")]
    assert all(map(is_alive, pids))
    monkeypatch.setattr(processes, "TERM_GRACE", 0.1)
    await caller.resources.aclose()
    assert not any(map(is_alive, pids))


async def test_a_cancelled_end_of_the_task_ends_them_all_the_same(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "TERM_GRACE", 20)
    command = "trap 'touch asked' TERM; echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done"
    await leave(caller, command)
    await pid_in(caller, "pid")
    closing = asyncio.create_task(caller.resources.aclose())
    await eventually(lambda: (caller.folder / "asked").exists())
    closing.cancel()
    (caller.folder / "go").touch()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert not is_alive(read_pid(caller.folder / "pid"))


async def test_tasks_do_not_end_each_others_commands(caller: Caller, tmp_path: Path) -> None:
    await leave(caller, "echo $$ > pid; exec sleep 1022")
    pid = await pid_in(caller, "pid")
    other = Caller(tmp_path, caller.artifacts)
    await other.call("execute_command", command="true")
    await other.resources.aclose()
    assert is_alive(pid)
