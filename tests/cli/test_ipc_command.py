"""`roo ipc serve`, and runs that other programs join, as processes."""

from __future__ import annotations

import asyncio
import signal
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roo_code.ipc.client import IpcClient
from roo_code.ipc.server import IpcServer
from roo_code.ipc.wire import TaskCommand
from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import Roo, calls, completion
from tests.ipc.doors import Program
from tests.waiting import until

SECRET = "sk-only-in-memory-42"


async def serve(
    roo: Roo, socket: Path, *arguments: str, **environment: str
) -> subprocess.Popen[str]:
    command = [*roo.program, "ipc", "serve", "--workspace", str(roo.workspace), *arguments]
    process = subprocess.Popen(
        [*command, *(("--socket", str(socket)) if not environment else ())],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=roo.environment | environment, start_new_session=True,
    )  # fmt: skip
    roo.exits.callback(_end, process)
    assert process.stdout
    assert await asyncio.to_thread(process.stdout.readline) == f"{socket}\n"
    return process


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def start(url: str, text: str = "Write the file.", **fields: Any) -> TaskCommand:
    configuration = {
        "apiProvider": "anthropic", "apiModelId": "claude-sonnet-4-5", "apiKey": SECRET,
        "anthropicBaseUrl": url, "autoApprovalEnabled": True, "alwaysAllowReadOnly": True,
        "alwaysAllowWrite": True, "mode": "code", "someNewSetting": 1,
    }  # fmt: skip
    data = {"configuration": configuration | fields, "text": text}
    return TaskCommand(command_name="StartNewTask", data=data)


async def test_a_task_runs_with_the_settings_and_the_key_it_was_started_with(
    roo: Roo, tmp_path: Path
) -> None:
    wrote = calls(write_to_file={"path": "new.txt", "content": "hi\n"})
    server = roo.serve(wrote, completion("Written."), key=SECRET)
    roo.environment.pop("ANTHROPIC_API_KEY")
    process = await serve(roo, tmp_path / "s.sock", "--debug")
    async with IpcClient(str(tmp_path / "s.sock")) as client:
        program = Program(client)
        await client.send_command(start(server.url))
        assert (await program.message(ask="completion_result")).text == ""
        await program.event("taskCompleted")
        assert (roo.workspace / "new.txt").read_text(encoding="utf-8") == "hi\n"
        await client.send_command(TaskCommand(command_name="GetModes"))
        modes = (await program.event("modesResponse"))[0]
        assert {"code", "ask"} <= {mode.slug for mode in modes}
        await client.send_command(TaskCommand(command_name="GetCommands"))
        assert await program.event("commandsResponse") == ([],)
        await client.send_command(start(server.url, alwaysAllowWrite="perhaps"))
        await client.send_command(start(server.url, apiProvider="nobody"))
        await client.send_command(TaskCommand(command_name="GetModes"))
        await program.event("modesResponse")
    process.terminate()
    _, errors = await asyncio.to_thread(process.communicate)
    assert process.returncode == 143
    assert "The configuration is wrong: " in errors
    assert "alwaysAllowWrite" in errors
    assert "nobody" in errors
    assert SECRET not in errors
    for path in roo.store_files():
        assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.requirement("ipc:socket:cleanup")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_socket_is_gone_after_a_signal_and_replaced_after_a_kill(
    roo: Roo, tmp_path: Path, number: signal.Signals
) -> None:
    socket = tmp_path / "s.sock"
    killed = await serve(roo, socket)
    killed.kill()
    await asyncio.to_thread(killed.communicate)
    assert socket.exists()
    process = await serve(roo, socket, ROO_CODE_IPC_SOCKET_PATH=str(socket))
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    async with IpcClient(str(socket)):
        process.send_signal(number)
        await asyncio.to_thread(process.communicate)
    assert process.returncode == 128 + number
    assert not socket.exists()


async def test_two_servers_do_not_share_a_socket(roo: Roo, tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    await serve(roo, socket)
    second = await asyncio.create_subprocess_exec(
        *roo.program, "ipc", "serve", "--socket", str(socket),
        env=roo.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    _, errors = await second.communicate()
    assert second.returncode == 1
    assert b"Another process serves" in errors
    async with IpcClient(str(socket)) as client:
        assert client.is_ready


async def test_a_run_is_heard_of_and_cancelled_over_the_socket_it_is_given(
    roo: Roo, tmp_path: Path
) -> None:
    socket = tmp_path / "run.sock"
    roo.environment["ROO_CODE_IPC_SOCKET_PATH"] = str(socket)
    roo.serve(ScriptedReply(text="never", faults=(Fault(kind="hang"),)))
    process = roo.start("-p", "Go.")
    async with IpcClient(str(socket)) as client:
        program = Program(client)
        await client.send_command(TaskCommand(command_name="GetModes"))
        await until(lambda: bool(program.heard))
        await cancelled(program)
    await asyncio.to_thread(process.communicate)
    assert process.returncode == 1
    assert not socket.exists()


async def cancelled(program: Program) -> None:
    """Until the task is there, a cancel has nothing to be for."""

    async def is_aborted() -> bool:
        if program.client.is_ready:
            await program.send("CancelTask")
        return "taskAborted" in program.names()

    await until(is_aborted)


async def test_a_run_brings_its_events_to_whoever_serves_the_socket(
    roo: Roo, tmp_path: Path
) -> None:
    roo.serve(calls(read_file={"path": "calc.py"}), completion("Read."))
    path = str(tmp_path / "evaluation.sock")
    async with IpcServer(path) as evaluation:
        events: list[str] = []
        evaluation.on("TaskEvent", lambda _, event: events.append(event.event_name))
        done = await asyncio.to_thread(roo.run, "-p", "Go.", ROO_CODE_IPC_SOCKET_PATH=path)
        assert done.returncode == 0, done.stderr
        await until(lambda: "taskCompleted" in events)
        assert events[:3] == ["taskCreated", "taskFocused", "message"]


async def test_serving_brings_events_to_an_evaluation_too(roo: Roo, tmp_path: Path) -> None:
    server = roo.serve("Hello.", key=SECRET)
    path = str(tmp_path / "evaluation.sock")
    async with IpcServer(path) as evaluation:
        names: list[str] = []
        evaluation.on("TaskEvent", lambda _, event: names.append(event.event_name))
        process = await serve(roo, tmp_path / "s.sock", "--connect", path)
        async with IpcClient(str(tmp_path / "s.sock")) as client:
            program = Program(client)
            await client.send_command(start(server.url))
            await program.event("taskCompleted")
            await until(lambda: "taskCompleted" in names)
            assert names[: len(program.heard)] == [e.event_name for e in program.heard]
        process.terminate()
        await asyncio.to_thread(process.communicate)
