"""Bodies in chunks out of bytes that may be split anywhere, as h11 reads them."""

import asyncio
from contextlib import suppress
from itertools import pairwise

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.errors import ConnectionCut
from roo_code.providers.chunked import ChunkedBody
from tests.providers.fuzzing import share
from tests.providers.raw_server import raw_server
from tests.providers.services import ask, provider_at

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
SAID = b'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\n'
LAST = b"0\r\n\r\n"


def chunk(content: bytes, extension: bytes = b"") -> bytes:
    return b"%x%b\r\n%b\r\n" % (len(content), extension, content)


def read(*pieces: bytes) -> tuple[bytes, ChunkedBody]:
    body = ChunkedBody()
    return b"".join(body.feed(piece) for piece in pieces if not body.done), body


def read_by_h11(data: bytes) -> bytes | None:
    """None where the body is not whole, or none."""
    state = h11.Connection(h11.CLIENT)
    state.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    state.send(h11.EndOfMessage())
    state.receive_data(HEAD + data)
    content = b""
    try:
        while not isinstance(event := state.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                return None
            content += bytes(event.data) if isinstance(event, h11.Data) else b""
    except h11.RemoteProtocolError:
        return None
    return content


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in pairwise(places)]


contents = st.lists(st.binary(min_size=1, max_size=40), max_size=6)
extensions = st.sampled_from([b"", b";a=b", b"; a", b" ", b"  \t"])
trailers = st.sampled_from([b"", b"a: b\r\n", b"a: b\r\nc: d\r\n"])
cuts = st.lists(st.integers(0, 400), max_size=12)


@settings(deadline=None)
@given(contents, extensions, trailers, cuts)
def test_split_anywhere_it_is_what_h11_reads(
    sent: list[bytes], extension: bytes, trailer: bytes, cuts: list[int]
) -> None:
    data = b"".join(chunk(content, extension) for content in sent) + b"0\r\n" + trailer + b"\r\n"
    content, body = read(*split(data, cuts))
    assert content == b"".join(sent) == read_by_h11(data)
    assert body.done
    assert body.is_clean


@share(of=1)
@given(contents, trailers, cuts, st.data())
def test_changed_bytes_are_refused_or_read_as_h11_does(
    sent: list[bytes], trailer: bytes, cuts: list[int], data: st.DataObject
) -> None:
    changed = bytearray(b"".join(map(chunk, sent)) + b"0\r\n" + trailer + b"\r\n")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    theirs = read_by_h11(bytes(changed))
    try:
        content, body = read(*split(bytes(changed), cuts))
    except h11.RemoteProtocolError:
        return
    if body.done and theirs is not None:
        assert content == theirs


def test_what_has_come_of_a_chunk_is_handed_out_at_once() -> None:
    body = ChunkedBody()
    assert body.feed(b"a\r\nHello") == b"Hello"
    assert body.feed(b" worl") == b" worl"
    assert body.feed(b"\r\n0\r\n") == b""
    assert not body.done


@pytest.mark.parametrize(
    "data",
    [
        b"x\r\n",
        b"-5\r\n",
        b"+5\r\n",
        b"0x5\r\n",
        b" 5\r\nhello\r\n",
        b"\r\n5\r\nhello\r\n",
        b"5 5\r\nhello\r\n",
        b"5\nhello\n",
        b"5\r\nhello!\r\n",
        b"5\r\nhello0\r\n",
        b"5\r\nhello\n0\r\n",
        b"1" * 16 + b"\r\n",
        b"5;" + b"x" * 5000,
        b"0\r\n" + b"a: b\r\n" * 5000,
    ],
)
def test_what_is_no_chunk_is_refused(data: bytes) -> None:
    for pieces in ([data], [data[n : n + 1] for n in range(len(data))]):
        with pytest.raises(h11.RemoteProtocolError):
            read(*pieces)


def test_bytes_after_the_end_are_noticed() -> None:
    content, body = read(chunk(b"Hi.") + LAST + b"HTTP/1.1 200 OK\r\n")
    assert (content, body.done, body.is_clean) == (b"Hi.", True, False)


@pytest.mark.parametrize("end", [b"", b"0\r\n", b"zz\r\n"])
async def test_without_its_last_chunk_an_answer_is_cut(end: bytes) -> None:
    begun = chunk(SAID.replace(b'"stop"', b"null"))
    async with (
        raw_server(HEAD + begun + end) as server,
        provider_at(server.url, "openai") as provider,
    ):
        with pytest.raises(ConnectionCut):
            await ask(provider)


UNASKED = b"HTTP/1.1 500 No\r\n\r\n"
CLOSING = HEAD.replace(b"chunked", b"chunked\r\nconnection: close")
COUNTED = HEAD.replace(b"transfer-encoding: chunked", b"content-length: %d" % len(SAID))


@pytest.mark.parametrize(
    ("answer", "connections"),
    [
        (HEAD + chunk(SAID) + LAST, 1),
        (HEAD + chunk(SAID) + LAST + UNASKED, 2),
        (CLOSING + chunk(SAID) + LAST, 2),
        (COUNTED + SAID, 1),
        (COUNTED + SAID + UNASKED, 2),
    ],
    ids=["clean", "more", "closing", "counted", "counted, more"],
)
async def test_a_connection_is_used_again_only_if_it_is_empty_and_may_be(
    answer: bytes, connections: int
) -> None:
    served: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length))
                writer.write(answer)
        writer.close()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        async with provider_at(address, "openai") as provider:
            assert [(await ask(provider)).text for _ in range(2)] == ["Hi.", "Hi."]
        await asyncio.gather(*served)
    assert len(served) == connections
