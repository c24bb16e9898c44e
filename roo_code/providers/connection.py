"""One HTTP/1.1 connection: a request out, an answer in, as often as both sides like."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

import h11
from msgspec import Struct

from roo_code.providers.chunked import ChunkedBody
from roo_code.providers.dialing import Address, dial

_READ_SIZE = 65536
_PACKED = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""47: zlib finds out by itself which of the two it is."""


class Head(Struct, frozen=True):
    """The beginning of an answer."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""


class Connection:
    """Raises OSError where the network fails, TimeoutError for silence, h11's for no HTTP."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: Address | None
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._proxy = proxy
        self._state = h11.Connection(h11.CLIENT)
        self._chunks: ChunkedBody | None = None
        """Of the answer that is being read, if it comes in chunks."""
        self._early = b""
        """What of them came together with the head."""
        self._idle_seconds: float | None = None
        self._deadline = math.inf
        self.used = False

    @classmethod
    async def open(cls, address: Address, proxy: Address | None, seconds: float) -> Connection:
        async with asyncio.timeout(seconds):
            reader, writer = await dial(address, proxy)
        return cls(reader, writer, None if address.secure else proxy)

    @property
    def is_alive(self) -> bool:
        """Whether an idle connection can still take a request."""
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def ask(
        self,
        address: Address,
        headers: Mapping[str, str],
        body: bytes | None,
        idle_seconds: float,
        deadline: float = math.inf,
    ) -> Head:
        """Send a request, a GET where it has no body, and wait for the head of its answer.

        `deadline` is the time of the event loop at which all of the answer must be there.
        """
        self._idle_seconds, self._deadline = idle_seconds, deadline
        length = {} if body is None else {"content-length": str(len(body))}
        fields = {"host": address.shown, **length, **headers}
        if self._proxy is not None and self._proxy.authorization:
            fields["proxy-authorization"] = self._proxy.authorization
        target = address.whole if self._proxy is not None else address.target
        method = "GET" if body is None else "POST"
        request = h11.Request(method=method, target=target, headers=list(fields.items()))
        events = (request, h11.Data(data=body or b""), h11.EndOfMessage())
        # Not waited for: an answer may come before the service has read all of a long request.
        self._writer.write(b"".join(self._state.send(event) or b"" for event in events))
        event = await self._next_event()
        while isinstance(event, h11.InformationalResponse):
            event = await self._next_event()
        if not isinstance(event, h11.Response):
            raise h11.RemoteProtocolError("no answer came")
        headers = {n.decode().lower(): v.decode("latin-1") for n, v in event.headers}
        has_body = event.status_code not in (204, 304)
        # h11 knows no other coding than this one and has refused any other.
        self._chunks = ChunkedBody() if has_body and "transfer-encoding" in headers else None
        self._early, _ = self._state.trailing_data
        return Head(event.status_code, headers)

    async def body(self, head: Head) -> AsyncGenerator[bytes]:
        """The rest of the answer, unpacked, as it arrives."""
        unpack = _unpacker(head.headers.get("content-encoding", ""))
        read = self._next_data if self._chunks is None else self._next_chunks
        while data := await read():
            yield data if unpack is None else unpack.decompress(data)

    def release(self) -> bool:
        """True if the answer was read to its end and the connection can be used again."""
        # Where one side does not want to go on, h11 is in another state than this.
        if self._state.our_state is not h11.DONE:
            return False
        if self._chunks is None:
            if self._state.their_state is not h11.DONE or self._state.trailing_data[0]:
                return False
            self._state.start_next_cycle()
        elif self._chunks.is_clean:
            self._state = h11.Connection(h11.CLIENT)
        else:
            return False
        self.used = True
        return self.is_alive

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        self._writer.transport.abort()

    async def _next_event(self) -> object:
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(await self._receive())
        return event

    async def _next_data(self) -> bytes:
        """Empty at the end."""
        while isinstance(event := await self._next_event(), h11.Data):
            if event.data:
                return bytes(event.data)
        return b""

    async def _next_chunks(self) -> bytes:
        """The content of all chunks that have come; empty at the end."""
        while self._chunks is not None and not self._chunks.done:
            data, self._early = self._early or await self._receive(), b""
            if not data:
                raise h11.RemoteProtocolError("the last chunk is missing")
            if content := self._chunks.feed(data):
                return content
        return b""

    async def _receive(self) -> bytes:
        async with asyncio.timeout_at(self._patience()):
            return await self._reader.read(_READ_SIZE)

    def _patience(self) -> float:
        idle = math.inf if self._idle_seconds is None else self._idle_seconds
        return min(asyncio.get_running_loop().time() + idle, self._deadline)


class _Unpacker(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


def _unpacker(coding: str) -> _Unpacker | None:
    if coding in ("", "identity"):
        return None
    if coding not in _PACKED:
        raise h11.RemoteProtocolError(f"the answer is packed in an unknown way, {coding!r}")
    return zlib.decompressobj(_PACKED[coding])
