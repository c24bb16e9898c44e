"""IpcServer on a real socket, with clients that behave and others that do not."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import AsyncGenerator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from roo_code.errors import ConfigError
from roo_code.ipc.cline_message import ClineMessage, MessageChange
from roo_code.ipc.link import SLOW
from roo_code.ipc.server import IpcServer
from roo_code.ipc.socket_path import default_path, pipe_name
from roo_code.ipc.wire import TaskCommand, TaskEvent
from tests.ipc.raw_client import RawClient, command
from tests.waiting import until

HI = TaskEvent(event_name="taskCreated", payload=("a",))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[IpcServer]:
    async with IpcServer(str(tmp_path / "s.sock")) as server:
        yield server


@pytest.fixture
def heard(server: IpcServer) -> list[TaskCommand]:
    heard: list[TaskCommand] = []
    server.on("TaskCommand", lambda _, command: heard.append(command))
    return heard


@pytest.mark.requirement("ipc:connect:ack")
async def test_the_server_speaks_first(server: IpcServer) -> None:
    client = await RawClient.connect(server.path)
    ack = await client.next()
    assert ack == {
        "type": "Ack",
        "origin": "server",
        "data": {"clientId": server.clients[0], "pid": os.getpid(), "ppid": os.getppid()},
    }
    assert len(bytes.fromhex(server.clients[0])) == 6
    await client.close()


async def test_who_comes_and_goes_is_told(server: IpcServer) -> None:
    told: list[tuple[str, str]] = []
    server.on("Connect", lambda id: told.append(("Connect", id)))
    server.on("Disconnect", lambda id: told.append(("Disconnect", id)))
    client = await RawClient.connect(server.path)
    id = (await client.next())["data"]["clientId"]
    await client.close()
    await until(lambda: len(told) == 2)
    assert told == [("Connect", id), ("Disconnect", id)]
    assert server.clients == ()


async def test_every_client_hears_an_event_and_one_alone_a_reply(server: IpcServer) -> None:
    first, second = [await RawClient.connect(server.path) for _ in range(2)]
    id = (await first.next())["data"]["clientId"]
    await second.next()
    reply = TaskEvent(event_name="modesResponse", payload=([],))
    server.send(id, reply)
    server.send("nobody", reply)
    server.broadcast(HI)
    names = [(await first.next())["data"]["eventName"] for _ in range(2)]
    assert names == ["modesResponse", "taskCreated"]
    assert (await second.next())["data"]["eventName"] == "taskCreated"
    await first.close()
    await second.close()


async def test_frames_are_understood_however_they_arrive(
    server: IpcServer, heard: list[TaskCommand]
) -> None:
    client = await RawClient.connect(server.path)
    long = command("SendMessage", data={"text": "é💻" * 60_000})  # 360 KB
    many = command("GetModes") * 500
    for data in (long[:7], long[7:200_001], long[200_001:], many[:1001], many[1001:]):
        client.write(data)
        await client.writer.drain()
    await until(lambda: len(heard) == 501)
    assert heard[0].data.text == "é💻" * 60_000
    assert {command.command_name for command in heard[1:]} == {"GetModes"}
    await client.close()


@pytest.mark.requirement("ipc:message:invalid")
async def test_ten_thousand_frames_of_garbage_change_nothing(
    server: IpcServer, heard: list[TaskCommand], caplog: pytest.LogCaptureFixture
) -> None:
    client = await RawClient.connect(server.path)
    bad = [b"garbage\x0c", b"\x0c", b"\xff\xfe\x0c", b'{"type":"message","data":{}}\x0c',
           command("Nope"), command("ResumeTask", data=7), b'{"type":"message","data":null}\x0c',
           b'{"type":1}\x0c', b"[" * 5000 + b"\x0c", command("SendMessage", data=[])]  # fmt: skip
    with caplog.at_level(logging.WARNING, "roo_code.ipc"):
        client.write(b"".join(bad) * 1000 + command("GetModes"))
        await until(lambda: len(heard) == 1)
        assert heard[0].command_name == "GetModes"
        assert any("there is no command 'Nope'" in record.message for record in caplog.records)
        await client.next()
        server.broadcast(HI)
        assert (await client.next())["data"]["payload"] == ["a"]
        await client.close()
        await until(lambda: not server.clients)
    assert len(caplog.records) < 50
    assert "9980 more invalid messages" in caplog.records[-1].message


async def test_a_command_from_the_server_side_of_the_protocol_is_not_acted_on(
    server: IpcServer, heard: list[TaskCommand]
) -> None:
    client = await RawClient.connect(server.path)
    client.write(
        b'{"type":"message","data":{"type":"Ack","origin":"server",'
        b'"data":{"clientId":"evil","pid":1,"ppid":1}}}\x0c' + command("GetModes")
    )
    await until(lambda: len(heard) == 1)
    await client.close()


def growing(text: str, partial: bool) -> TaskEvent:
    message = ClineMessage(ts=1, kind="say", say="text", text=text, partial=partial)
    change = MessageChange(task_id="a", action="updated", message=message)
    return TaskEvent(event_name="message", payload=(change,))


async def test_a_slow_client_misses_updates_that_are_said_again_and_nothing_else(
    server: IpcServer,
) -> None:
    client = await RawClient.connect(server.path, limit=1000)
    await until(lambda: bool(server.clients))
    for _ in range(200):
        server.broadcast(growing("x" * SLOW, partial=True))
    server.broadcast(growing("the end", partial=False))
    server.broadcast(HI)
    client.reader._limit = 1 << 26  # type: ignore[attr-defined]
    frames = [await client.next()]
    while frames[-1]["data"].get("eventName") != "taskCreated":
        frames.append(await client.next())
    assert len(frames) < 50
    assert frames[-2]["data"]["payload"][0]["message"]["text"] == "the end"
    await client.close()


async def test_a_client_that_never_reads_is_disconnected(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with IpcServer(str(tmp_path / "s.sock"), most_unsent=1 << 20) as server:
        lazy = await RawClient.connect(server.path, limit=1000)
        await until(lambda: bool(server.clients))
        for _ in range(200):
            server.broadcast(growing("x" * 100_000, partial=False))
        await until(lambda: not server.clients)
        assert "does not read" in caplog.text
        other = await RawClient.connect(server.path)
        assert (await other.next())["type"] == "Ack"
        await other.close()
        lazy.writer.close()


@pytest.mark.requirement("ipc:socket:permissions")
async def test_only_the_user_may_open_the_socket(server: IpcServer, tmp_path: Path) -> None:
    assert stat.S_IMODE(Path(server.path).stat().st_mode) == 0o600
    async with IpcServer(str(tmp_path / "other.sock"), uid=os.getuid() + 1) as strict:
        client = await RawClient.connect(strict.path)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await client.next()
        client.writer.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
async def test_another_user_who_gets_at_the_socket_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        async with IpcServer(str(Path(folder, "s.sock"))) as server:
            Path(server.path).chmod(0o666)
            with socket.socket(socket.AF_UNIX) as other:
                os.seteuid(65534)
                try:
                    other.connect(server.path)
                finally:
                    os.seteuid(0)
                other.settimeout(20)
                assert await asyncio.to_thread(other.recv, 100) == b""
    assert "it is of user 65534, not 0" in caplog.text


async def test_the_socket_is_gone_afterwards_unless_it_is_anothers(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    async with IpcServer(str(path)):
        assert path.exists()
    assert not path.exists()
    async with IpcServer(str(path)):
        path.unlink()
        path.write_text("of somebody else", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "of somebody else"


async def test_what_a_dead_process_left_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    async with IpcServer(str(path)) as server:
        client = await RawClient.connect(server.path)
        assert (await client.next())["type"] == "Ack"
        await client.close()
        with pytest.raises(ConfigError, match="Another process serves"):
            await IpcServer(str(path)).start()
    path.write_text("a file", encoding="utf-8")
    with pytest.raises(ConfigError, match="no socket"):
        await IpcServer(str(path)).start()
    with pytest.raises(ConfigError, match="cannot be made"):
        await IpcServer(str(tmp_path / "missing" / "s.sock")).start()
    with pytest.raises(ConfigError, match="cannot be made"):
        await IpcServer(str(tmp_path / ("x" * 200))).start()


@pytest.mark.requirement("ipc:transport:path")
def test_the_path_is_named_after_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", None)
    assert default_path() == f"/tmp/roo-code-ipc-{os.getpid()}.sock"
    assert default_path(windows=True) == f"\\\\.\\pipe\\roo-code-ipc-{os.getpid()}"
    assert IpcServer("/some/where.sock").path == "/some/where.sock"
    assert pipe_name("/tmp/a.sock") == "\\\\.\\pipe\\tmp-a.sock"
