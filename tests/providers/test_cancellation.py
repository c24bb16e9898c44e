"""Whoever cancels is rid of the connection at once, wherever the request was."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from roo_code.errors import ConnectionCut
from roo_code.providers import pacing
from roo_code.providers.base import BaseProvider
from roo_code.providers.retry import RetryPolicy, with_retry
from roo_code.testing import ScriptedProvider
from tests.providers.services import HELLO, ask, provider_at

GUARD_SECONDS = 5
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
REFUSED = b"HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"


@dataclass
class Watched:
    """A server that says one thing to each connection, waits, and sees whether it is closed."""

    port: int = 0
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def watched(says: bytes) -> AsyncGenerator[Watched]:
    found = Watched()
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65536)
        writer.write(says)
        await writer.drain()
        found.heard.set()
        try:
            while await reader.read(65536):
                pass
        except ConnectionError:
            pass  # it was reset, which is as closed as can be
        finally:
            writer.transport.abort()
        found.closed.set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()
        await asyncio.sleep(0)  # the event loop closes them on its next turn


async def cancel_once(ready: Awaitable[object], work: asyncio.Task[object]) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        await ready
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work


def asking(provider: BaseProvider) -> asyncio.Task[object]:
    return asyncio.create_task(ask(provider))


@pytest.mark.parametrize(
    "says",
    [b"", b"HTTP/1.1 200", HEAD, HEAD + b"6\r\n: hi\r\n", REFUSED],
    ids=["no answer", "half a head", "no event", "half an event", "half a refusal"],
)
async def test_a_request_on_its_way_is_dropped(says: bytes) -> None:
    async with (
        watched(says) as server,
        provider_at(f"http://127.0.0.1:{server.port}") as provider,
    ):
        await cancel_once(server.heard.wait(), asking(provider))
        async with asyncio.timeout(GUARD_SECONDS):
            await server.closed.wait()


async def test_a_tls_handshake_is_dropped() -> None:
    async with (
        watched(b"") as server,
        provider_at(f"https://127.0.0.1:{server.port}") as provider,
    ):
        await cancel_once(server.heard.wait(), asking(provider))
        async with asyncio.timeout(GUARD_SECONDS):
            await server.closed.wait()


async def test_a_tunnel_in_the_making_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched(b"HTTP/1.1 2") as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        async with provider_at("https://model.example") as provider:
            await cancel_once(proxy.heard.wait(), asking(provider))
            async with asyncio.timeout(GUARD_SECONDS):
                await proxy.closed.wait()


def sockets() -> set[str]:
    """The sockets that this process has open."""
    links = (_link(entry) for entry in Path("/proc/self/fd").iterdir())
    return {link for link in links if link.startswith("socket:")}


def _link(entry: Path) -> str:
    try:
        return str(entry.readlink())
    except OSError:
        return ""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="it looks into /proc")
async def test_a_connection_in_the_making_is_dropped() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # after these the system answers nobody
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        before = sockets()
        async with provider_at(f"http://127.0.0.1:{full.getsockname()[1]}") as provider:
            work = asking(provider)
            await cancel_once(_until(lambda: sockets() > before), work)
            await _until(lambda: sockets() == before)
        for one in waiting:
            one.close()


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        while not is_so():
            await asyncio.sleep(0)


async def test_a_pause_between_attempts_is_left() -> None:
    resting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        resting.set()
        await asyncio.sleep(seconds)

    provider = ScriptedProvider(ConnectionCut("x"))
    policy = RetryPolicy(base=9999, cap=9999, sleep=sleep)

    async def consume() -> None:
        async for _ in with_retry(provider, HELLO, policy):
            pass

    await cancel_once(resting.wait(), asyncio.create_task(consume()))
    assert len(provider.requests) == 1


async def test_a_place_in_the_line_is_left_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_next_start", {})
    async with watched(b"") as server:
        url = f"http://127.0.0.1:{server.port}"
        async with provider_at(url, rate_limit_seconds=9999) as provider:
            first = asking(provider)
            async with asyncio.timeout(GUARD_SECONDS):
                await server.heard.wait()
            begins = dict(pacing._next_start)
            second = asking(provider)
            await cancel_once(_until(lambda: pacing._next_start != begins), second)
            assert pacing._next_start == begins
            await cancel_once(server.heard.wait(), first)
