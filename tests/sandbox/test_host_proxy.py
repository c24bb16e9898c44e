"""The proxy alone, on a port of this machine, with names as the tests say."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import pytest

from roo_code.sandbox import host_proxy
from roo_code.sandbox.host_list import HostList
from roo_code.sandbox.host_proxy import HostProxy, Streams
from roo_code.sandbox.public_addresses import IpAddress
from tests.providers.raw_server import answer, raw_server

FINE = answer("200 OK", b"fine")


@dataclass
class Names:
    """What each name means, one answer after the other; the last one for ever."""

    known: dict[str, list[list[str]]]
    asked: list[str] = field(default_factory=list[str])

    async def resolve(self, host: str, port: int) -> Sequence[IpAddress]:
        self.asked.append(host)
        if host not in self.known:
            raise socket.gaierror(-2, "Name or service not known")
        answers = self.known[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ip_address(address) for address in found]


class Client:
    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, request: str) -> bytes:
        """All that is answered until the other side is done."""
        reader, writer = await self.open()
        writer.write(f"{request}\r\n\r\n".encode())
        try:
            return await reader.read(-1)
        finally:
            writer.close()


@contextlib.asynccontextmanager
async def serving(proxy: HostProxy) -> AsyncGenerator[Client]:
    listener = socket.create_server(("127.0.0.1", 0))
    before = asyncio.all_tasks()
    tasks = {asyncio.create_task(proxy.listen(listener))}
    yield Client(listener.getsockname()[1])
    tasks |= asyncio.all_tasks() - before
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    listener.close()


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


async def test_a_request_to_a_listed_host_goes_on_and_its_answer_comes_back() -> None:
    async with raw_server(FINE) as there:
        port = port_of(there.url)
        proxy = HostProxy(
            HostList([f"index.test:{port}"]), Names({"index.test": [["127.0.0.1"]]}).resolve
        )
        async with serving(proxy) as client:
            said = await client.ask(f"GET http://index.test:{port}/simple/ HTTP/1.1\r\nX-A: b")
    assert said == FINE
    assert there.requests[0].decode().splitlines() == [
        "GET /simple/ HTTP/1.1", f"Host: index.test:{port}", "Connection: close", "X-A: b", "",
    ]  # fmt: skip
    assert proxy.refusals == []


async def test_a_tunnel_carries_bytes_both_ways_until_both_are_done() -> None:
    received = asyncio.get_running_loop().create_future()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.set_result(await reader.read(-1))  # up to the half that is closed
        writer.write(received.result()[::-1])
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with serving(HostProxy(HostList([f"127.0.0.1:{port}"]))) as client:
        reader, writer = await client.open()
        sent = bytes(range(256)) * 8192  # more than fits between them
        writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode() + sent)
        writer.write_eof()
        said = await reader.read(-1)
        writer.close()
    server.close()
    assert said == b"HTTP/1.1 200 Connection established\r\n\r\n" + sent[::-1]


@pytest.mark.parametrize("method", ["CONNECT example.org:443", "GET http://example.org:443/"])
async def test_what_is_not_listed_is_refused_unasked_and_told_once(method: str) -> None:
    names = Names({"example.org": [["93.184.215.14"]]})
    proxy = HostProxy(HostList(["pypi.org", "*.org:80"]), names.resolve)
    async with serving(proxy) as client:
        said = [await client.ask(f"{method} HTTP/1.1") for _ in range(2)]
    assert said[0] == said[1]
    assert said[0].startswith(
        b"HTTP/1.1 403 example.org:443 was refused: it is not on sandboxHosts\r\n"
    )
    assert names.asked == []  # a name can carry out what is in it
    assert proxy.refusals == ["example.org:443 was refused; it is not on sandboxHosts."]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "10.0.0.1", "2130706433", "0x7f.1", "127.1"]
)
async def test_an_address_is_not_a_name(host: str) -> None:
    names = Names({})
    async with serving(HostProxy(HostList(["*", "pypi.org:443"]), names.resolve)) as client:
        said = await client.ask(f"CONNECT {host}:80 HTTP/1.1")
    assert said.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 502 "))
    assert not any(name.startswith(("127.0", "::", "10.")) for name in names.asked)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "0.0.0.0"])
async def test_a_listed_name_that_leads_inside_is_refused(address: str) -> None:
    proxy = HostProxy(HostList(["pypi.org"]), Names({"pypi.org": [[address]]}).resolve)
    async with serving(proxy) as client:
        said = await client.ask("CONNECT pypi.org:443 HTTP/1.1")
    assert said.startswith(b"HTTP/1.1 403 ")
    assert proxy.refusals == [
        f"pypi.org:443 was refused; it is at {address}, which is not public, and not listed with "
        "its port."
    ]


async def test_what_is_connected_to_is_the_address_that_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that means something else a moment later, or two things at once."""
    connected: list[tuple[Any, ...]] = []

    accept = asyncio.open_connection

    async def refuse(*address: Any, **accepted: Any) -> Streams:
        if accepted:
            return await accept(**accepted)
        connected.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    names = Names({"pypi.org": [["10.0.0.1", "151.101.0.223"], ["127.0.0.1"]]})
    async with serving(HostProxy(HostList(["pypi.org"]), names.resolve)) as client:
        opened = await client.open()
        monkeypatch.setattr(host_proxy.asyncio, "open_connection", refuse)
        opened[1].write(b"CONNECT pypi.org:443 HTTP/1.1\r\n\r\n")
        said = await opened[0].read(-1)
        opened[1].close()
    assert connected == [("151.101.0.223", 443)]
    assert names.asked == ["pypi.org"]
    assert said.startswith(b"HTTP/1.1 502 pypi.org:443 cannot be reached: Connection refused\r\n")


async def test_a_listed_name_that_nobody_knows_is_no_refusal() -> None:
    proxy = HostProxy(HostList(["gone.test"]), Names({}).resolve)
    async with serving(proxy) as client:
        said = await client.ask("CONNECT gone.test:443 HTTP/1.1")
    assert said.startswith(b"HTTP/1.1 502 gone.test has no address that can be found\r\n")
    assert proxy.refusals == []


async def test_what_does_not_speak_to_a_proxy_is_answered_or_closed() -> None:
    async with serving(HostProxy(HostList(["*"]))) as client:
        assert (await client.ask("GET / HTTP/1.1")).startswith(b"HTTP/1.1 400 ")
        with pytest.raises(ConnectionResetError):  # what it has sent is not even read
            await client.ask("GET /" + "x" * (1 << 20))
        reader, writer = await client.open()
        writer.write(b"\x05\x01\x00")
        writer.write_eof()
        assert await reader.read(-1) == b""
        writer.close()


async def test_who_still_sends_is_told_why_it_is_refused() -> None:
    async with serving(HostProxy(HostList(["pypi.org"]))) as client:
        reader, writer = await client.open()
        writer.write(b"PUT http://example.org/ HTTP/1.1\r\n\r\n" + bytes(4 << 20))
        await writer.drain()
        assert (await reader.read(-1)).startswith(b"HTTP/1.1 403 ")
        writer.close()


async def test_who_comes_when_there_are_too_many_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_proxy, "_MOST_CONNECTIONS", 1)
    async with raw_server(FINE) as there:
        asked = f"CONNECT 127.0.0.1:{port_of(there.url)} HTTP/1.1\r\n\r\n".encode()
        async with serving(HostProxy(HostList([f"127.0.0.1:{port_of(there.url)}"]))) as client:
            reader, writer = await client.open()
            writer.write(asked)
            await reader.readuntil(b"\r\n\r\n")
            later, to_later = await client.open()
            to_later.write(asked + b"GET / HTTP/1.1\r\n\r\n")
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            assert await reader.read(-1) == FINE
            assert there.requests == [b"GET / HTTP/1.1\r\n\r\n"]
            writer.close()
            assert (await later.read(-1)).endswith(FINE)
            to_later.close()


async def test_who_asks_for_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_proxy, "_HEAD_SECONDS", 0)
    async with serving(HostProxy(HostList(["*"]))) as client:
        reader, writer = await client.open()
        assert await reader.read(-1) == b""
        writer.close()


async def test_those_who_say_nothing_are_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_proxy, "_SILENT_SECONDS", 0)
    parted = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()
        parted.set()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with serving(HostProxy(HostList([f"127.0.0.1:{port}"]))) as client:
        said = await client.ask(f"CONNECT 127.0.0.1:{port} HTTP/1.1")
        await parted.wait()
    server.close()
    assert said == b"HTTP/1.1 200 Connection established\r\n\r\n"


async def test_there_is_an_end_to_what_is_told() -> None:
    proxy = HostProxy(HostList(["pypi.org"]))
    async with serving(proxy) as client:
        for number in range(30):
            await client.ask(f"CONNECT h{number}.test:443 HTTP/1.1")
    assert len(proxy.refusals) == 21
    assert proxy.refusals[-1] == "Other hosts were refused as well."


async def test_a_service_can_be_stood_for() -> None:
    async with raw_server(FINE) as there:
        proxy = HostProxy(HostList([f"localhost:{port_of(there.url)}"]))
        listener = socket.create_server(("127.0.0.1", 0))
        standing = asyncio.create_task(proxy.stand_for(listener, "localhost", port_of(there.url)))
        client = Client(listener.getsockname()[1])
        assert await client.ask("GET /as-it-is HTTP/1.1") == FINE
        standing.cancel()
        listener.close()
    assert there.requests == [b"GET /as-it-is HTTP/1.1\r\n\r\n"]
