import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from roo_code.providers import first_to_answer
from roo_code.providers.first_to_answer import open_first
from tests.waiting import until

Connected = set[asyncio.StreamReader]


@asynccontextmanager
async def server(connected: Connected) -> AsyncGenerator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.add(reader)
        await reader.read()
        connected.remove(reader)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        yield listening.sockets[0].getsockname()[1]


def place(host: str, port: int) -> first_to_answer.Place:
    return (socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[first_to_answer.Place]:
    """The addresses that every name has."""
    places: list[first_to_answer.Place] = []

    async def look_up(*_: object, **__: object) -> list[first_to_answer.Place]:
        return places

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", look_up)
    return places


@pytest.mark.parametrize("host", ["127.0.0.1", "host.example"])
@pytest.mark.parametrize("turns", range(12))
async def test_a_cancelled_attempt_leaves_no_connection_open(
    names: list[first_to_answer.Place], host: str, turns: int
) -> None:
    connected: Connected = set()
    async with server(connected) as port:
        names += [place("127.0.0.1", port)] * 2
        attempt = asyncio.create_task(open_first(host, port, None))
        for _ in range(turns):
            await asyncio.sleep(0)
        attempt.cancel()
        await asyncio.wait([attempt])
        if not attempt.cancelled():
            attempt.result()[1].close()
        _, writer = await open_first(host, port, None)
        await until(lambda: len(connected) > 0)  # and any before this one has been accepted
        writer.close()
        await until(lambda: not connected)


async def test_an_address_that_refuses_gives_way_to_the_next(
    names: list[first_to_answer.Place],
) -> None:
    connected: Connected = set()
    async with server(connected) as port:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            names.append(place("127.0.0.1", closed.getsockname()[1]))
        names.append(place("127.0.0.1", port))
        _, writer = await open_first("host.example", port, None)
        assert writer.get_extra_info("peername") == ("127.0.0.1", port)
        writer.close()
        await until(lambda: not connected)


async def test_an_address_that_says_nothing_gives_way_to_the_next(
    names: list[first_to_answer.Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_to_answer, "_HEAD_START_SECONDS", 0.01)
    connected: Connected = set()
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        taken = [socket.socket() for _ in range(3)]
        for one in taken:  # until no more fit into its queue
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        async with server(connected) as port:
            names += [place(*full.getsockname()), place("127.0.0.1", port)]
            _, writer = await open_first("host.example", port, None)
            assert writer.get_extra_info("peername") == ("127.0.0.1", port)
            writer.close()
            await until(lambda: not connected)
        for one in taken:
            one.close()


async def test_the_first_failure_is_told(names: list[first_to_answer.Place]) -> None:
    with pytest.raises(OSError, match="no address"):
        await open_first("host.example", 80, None)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        names.append(place("127.0.0.1", closed.getsockname()[1]))
    with pytest.raises(ConnectionRefusedError):
        await open_first("host.example", 80, None)
