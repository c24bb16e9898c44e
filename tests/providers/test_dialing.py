"""How services are reached: TLS, proxies, connections that were used before."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roo_code.errors import ConfigError, ConnectionFailed
from roo_code.providers.dialing import find_proxy, parse_address, tls_context
from roo_code.testing import ModelServer
from tests.providers.certificate import server_context
from tests.providers.raw_server import answer, raw_server
from tests.providers.services import ask, provider_at

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[ssl.SSLContext]:
    """What a server needs whose certificate the environment trusts."""
    context = server_context(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    tls_context.cache_clear()
    yield context
    tls_context.cache_clear()


@asynccontextmanager
async def relay(
    port: int, *, tls: ssl.SSLContext | None = None, tunnel: bool = False
) -> AsyncGenerator[tuple[int, list[bytes]]]:
    """A server that passes bytes on to the port: a TLS front, or a proxy that is asked first."""
    heads: list[bytes] = []
    tasks: set[asyncio.Task[None]] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if tunnel:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        behind, to = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, to), copy(behind, writer), return_exceptions=True)

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1], heads
    finally:
        server.close()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks, return_exceptions=True)
            await server.wait_closed()


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


async def test_a_secure_service_is_reached_when_its_certificate_is_trusted(
    trusted: ssl.SSLContext,
) -> None:
    async with ModelServer(["Hi."]) as server, relay(port_of(server.url), tls=trusted) as (port, _):
        for host in ("localhost", "127.0.0.1"):
            async with provider_at(f"https://{host}:{port}") as provider:
                assert (await ask(provider)).text == "Hi."


async def test_a_certificate_that_nobody_signed_is_refused(tmp_path: Path) -> None:
    async with (
        ModelServer(["Hi."]) as server,
        relay(port_of(server.url), tls=server_context(tmp_path)) as (port, _),
        provider_at(f"https://127.0.0.1:{port}") as provider,
    ):
        with pytest.raises(ConnectionFailed, match="certificate verify failed"):
            await ask(provider)
    assert server.requests == []


async def test_a_server_that_speaks_no_tls_is_told_as_such() -> None:
    async with (
        ModelServer(["Hi."]) as server,
        provider_at(server.url.replace("http:", "https:")) as provider,
    ):
        with pytest.raises(ConnectionFailed, match="Could not connect to anthropic"):
            await ask(provider)


async def test_a_host_that_does_not_exist_is_named() -> None:
    async with provider_at("http://nowhere.invalid") as provider:
        with pytest.raises(ConnectionFailed, match=r"anthropic \(nowhere\.invalid\)"):
            await ask(provider)


async def test_plain_requests_go_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ModelServer(["Hi."]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("http://", "http://user:p%40ss@"))
        async with provider_at("http://model.invalid:8000") as provider:
            assert (await ask(provider)).text == "Hi."
    request = proxy.requests[0]
    assert request.path == "http://model.invalid:8000/v1/messages"
    assert request.headers["host"] == "model.invalid:8000"
    assert request.headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"


async def test_secure_requests_go_through_a_tunnel(
    trusted: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        ModelServer(["Hi."]) as server,
        relay(port_of(server.url), tls=trusted) as (front, _),
        relay(front, tunnel=True) as (proxy, heads),
    ):
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{proxy}")
        async with provider_at("https://model.example") as provider:
            assert (await ask(provider)).text == "Hi."
    assert heads[0].startswith(b"CONNECT model.example:443 HTTP/1.1\r\n")
    assert b"x-api-key" not in heads[0]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "refused: HTTP/1.1 407 Proxy"),
        (b"", "gave no answer"),
    ],
)
async def test_a_proxy_that_refuses_is_told_as_such(
    reply: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw_server(reply) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        async with provider_at("https://model.example") as provider:
            with pytest.raises(ConnectionFailed, match=words):
                await ask(provider)


@pytest.mark.parametrize(
    ("exempt", "url", "proxied"),
    [
        ("", "http://model.example", True),
        ("example.org", "http://model.example", True),
        ("example", "http://model.example", False),
        (".example", "http://model.example", False),
        ("a.b, MODEL.example", "http://model.example", False),
        ("model.example:8000", "http://model.example:8000", False),
        ("model.example:8000", "http://model.example", True),
        ("*", "http://model.example", False),
        ("", "http://localhost:11434", False),
        ("", "http://127.0.0.1:11434", False),
        ("", "http://[::1]:11434", False),
    ],
)
def test_no_proxy_is_asked_for_what_is_exempt_or_on_this_machine(
    exempt: str, url: str, proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", exempt)
    found = find_proxy(parse_address(url))
    assert (found is not None and found.shown == "proxy.example:3128") is proxied


def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(ConfigError, match=r"\(socks5\) that is not supported"):
        find_proxy(parse_address("http://model.example"))


async def test_a_connection_that_the_service_closed_meanwhile_is_replaced() -> None:
    done = (
        b'data: {"type":"content_block_start","index":0,"content_block":'
        b'{"type":"text","text":"Hi."}}\n\ndata: {"type":"message_stop"}\n\n'
    )
    reply = answer("200 OK", done, content_type="text/event-stream")
    async with raw_server(reply) as server, provider_at(server.url) as provider:
        for _ in range(3):  # the server says keep-alive and closes all the same
            assert (await ask(provider)).text == "Hi."
    assert len(server.requests) == 3


async def test_a_name_and_password_in_the_address_are_sent_and_not_shown() -> None:
    async with ModelServer(["Hi."]) as server:
        url = server.url.replace("http://", "http://me:hidden@")
        async with provider_at(url, "ollama", api_key=None) as provider:
            assert (await ask(provider)).text == "Hi."
        assert "hidden" not in repr(vars(provider))
    assert server.requests[0].headers["authorization"] == "Basic bWU6aGlkZGVu"
