import asyncio
import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from roo_code.builtin_tools import web_download
from roo_code.builtin_tools.web_addresses import Reach
from roo_code.builtin_tools.web_download import LARGEST_PAGE, MOST_HOPS, download
from roo_code.errors import NotAllowed, ToolError
from roo_code.providers.dialing import tls_context
from roo_code.sandbox.public_addresses import IpAddress
from tests.providers.certificate import server_context
from tests.providers.raw_server import answer, raw_server

PACKED = gzip.compress(b"x" * 99, mtime=0)  # the same in every process that collects the tests
PAGE = answer("200 OK", b"hello", content_type="text/plain")


def is_loopback(address: IpAddress) -> bool:
    return address.is_loopback


HERE = Reach(allows=is_loopback)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def test_a_page_comes_with_its_kind() -> None:
    async with raw_server(PAGE) as server:
        page = await download(f"{server.url}/a?b=c#d", HERE)
    assert page == (f"{server.url}/a?b=c", "text/plain", b"hello", True)
    assert server.requests[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"RooCode/" in server.requests[0]


async def test_redirects_are_followed() -> None:
    moved = answer("302 Found", b"", location="/there?x=ü")
    async with raw_server(moved, PAGE) as server:
        page = await download(f"{server.url}/here", HERE)
    assert page.url == f"{server.url}/there?x=%C3%BC"


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("http://169.254.169.254/latest/meta-data/", "169.254.169.254"),
        ("http://10.0.0.7:8080/", "10.0.0.7"),
        ("file:///etc/passwd", "Only http and https"),
        ("http://user:pass@127.0.0.1/", "user name or password"),
    ],
)
async def test_every_hop_is_checked(location: str, told: str) -> None:
    async with raw_server(answer("301 Moved", b"", location=location)) as server:
        with pytest.raises(ToolError, match=told):
            await download(server.url, HERE)


async def test_a_circle_of_redirects_ends() -> None:
    async with raw_server(answer("307 Again", b"", location="/")) as server:
        with pytest.raises(ToolError, match="more than 5 times"):
            await download(server.url, HERE)
    assert len(server.requests) == MOST_HOPS + 1


async def test_the_connection_is_made_to_the_address_that_was_checked() -> None:
    """A name that means another address a moment later gains nothing by it."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    async with raw_server(PAGE) as server:
        url = server.url.replace("127.0.0.1", "rebound.example")
        page = await download(url, Reach(is_loopback, resolve))
        assert page.data == b"hello"
        assert asked == ["rebound.example"]
        assert b"\r\nhost: rebound.example:" in server.requests[0].lower()
        with pytest.raises(NotAllowed, match=r"10\.0\.0\.1"):
            await download(url, Reach(is_loopback, resolve))
    assert len(server.requests) == 1


async def test_a_certificate_must_be_of_the_name_and_not_of_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(PAGE)
        writer.close()

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_context(tmp_path))
    port = server.sockets[0].getsockname()[1]
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    tls_context.cache_clear()
    try:
        reach = Reach(is_loopback, resolve)
        assert (await download(f"https://model.example:{port}/", reach)).data == b"hello"
        with pytest.raises(ToolError, match="certificate verify failed"):
            await download(f"https://other.example:{port}/", reach)
    finally:
        tls_context.cache_clear()
        server.close()
        await server.wait_closed()


async def test_a_proxy_is_asked_for_public_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["93.184.216.34"]

    async with raw_server(PAGE) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        page = await download("http://page.example/x", Reach(resolve=resolve))
    assert page.data == b"hello"
    assert proxy.requests[0].startswith(b"GET http://page.example/x HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 999, mtime=0)),
        ("deflate", zlib.compress(b"hello" * 999)),
        ("deflate", zlib.compress(b"hello" * 999, wbits=-15)),
    ],
)
async def test_packed_pages_are_unpacked(coding: str, packed: bytes) -> None:
    async with raw_server(answer("200 OK", packed, content_encoding=coding)) as server:
        assert (await download(server.url, HERE)).data == b"hello" * 999


async def test_a_bomb_is_unpacked_only_as_far_as_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    unpacker = zlib.decompressobj

    class Watched:
        def __init__(self, wbits: int) -> None:
            self._real = unpacker(wbits)

        eof = True

        def decompress(self, data: bytes, most: int) -> bytes:
            asked.append(most)
            return self._real.decompress(data, most)

    packed = gzip.compress(bytes(60 << 20), mtime=0)
    monkeypatch.setattr(web_download.zlib, "decompressobj", Watched)
    async with raw_server(answer("200 OK", packed, content_encoding="gzip")) as server:
        page = await download(server.url, HERE)
    assert len(page.data) == LARGEST_PAGE
    assert not page.whole
    assert max(asked) <= LARGEST_PAGE + 1


async def test_a_page_without_end_is_cut() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"
    async with raw_server(head + b"x" * (LARGEST_PAGE + 9)) as server:
        page = await download(server.url, HERE)
    assert (len(page.data), page.whole) == (LARGEST_PAGE, False)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (answer("404 Not Found", b"no"), r"answered 404 \(Not Found\)"),
        (answer("799 Odd", b"no"), "answered 799"),
        (answer("204 No Content", b""), "answered 204"),
        (answer("302 Found", b""), "answered 302"),
        (answer("200 OK", b"x", content_encoding="br"), r"packed in a way .* \(br\)"),
        (answer("200 OK", b"rubbish", content_encoding="gzip"), "could not be fetched"),
        (answer("200 OK", PACKED[:-12], content_encoding="gzip"), "cut off"),
        (b"not HTTP at all\r\n\r\n", "could not be fetched"),
        (b"", "could not be fetched"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf", "could not be fetched"),
    ],
)
async def test_what_does_not_come_is_told(said: bytes, told: str) -> None:
    async with raw_server(said) as server:
        with pytest.raises(ToolError, match=told):
            await download(server.url, HERE)


async def test_a_closed_port_is_told() -> None:
    async with raw_server(PAGE) as server:
        pass
    with pytest.raises(ToolError, match="could not be fetched"):
        await download(server.url, HERE)


async def test_silence_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_download, "PATIENCE", 0.05)
    connected: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: connected.append(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(ToolError, match="did not come within"):
        await download(f"http://127.0.0.1:{port}/", HERE)
    for writer in connected:
        writer.close()
    server.close()
    await server.wait_closed()
