"""One connection of a small HTTP/1.1 server, which can stop anywhere and notice a lost client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import h11

_FLUSH_SECONDS = 1.0


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class HttpConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = h11.Connection(h11.SERVER)
        self._watch: asyncio.Task[bytes] | None = None

    async def receive(self) -> HttpRequest | None:
        """The next request, or None when the client has closed."""
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._state.next_event()
            if event is h11.NEED_DATA:
                self._state.receive_data(await self._read())
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
                path = head.target.decode().partition("?")[0]
                return HttpRequest(head.method.decode(), path, headers, bytes(body))
            else:
                return None

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        # Watched from here on: a client that closes while it waits is told by its silence.
        self._watch = self._watch or asyncio.create_task(self._reader.read(1))
        fields = [("transfer-encoding", "chunked"), *headers.items()]
        await self._write(h11.Response(status_code=status, headers=fields))

    async def send(self, data: bytes) -> None:
        await self._write(h11.Data(data=data))

    async def finish(self) -> bool:
        """End the answer; True if the connection can take another request."""
        await self._write(h11.EndOfMessage())
        if self._state.our_state is not h11.DONE or self._state.their_state is not h11.DONE:
            return False
        self._state.start_next_cycle()
        return True

    async def is_gone(self, seconds: float | None) -> bool:
        """Whether the client closes within so many seconds; None waits until it does."""
        self._watch = self._watch or asyncio.create_task(self._reader.read(1))
        if seconds != 0:
            await asyncio.wait({self._watch}, timeout=seconds)
        return self._watch.done() and self._read_ended(self._watch)

    async def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        self._writer.close()
        try:
            async with asyncio.timeout(_FLUSH_SECONDS):
                await self._writer.wait_closed()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # else it is the waiter that was cancelled
                raise
        except (ConnectionError, TimeoutError):
            pass
        finally:
            self._writer.transport.abort()

    @staticmethod
    def _read_ended(watch: asyncio.Task[bytes]) -> bool:
        return watch.exception() is not None or watch.result() == b""

    async def _read(self) -> bytes:
        """What was read ahead while watching belongs to the next request."""
        if self._watch is not None:
            watch, self._watch = self._watch, None
            return await watch
        return await self._reader.read(65536)

    async def _write(self, event: h11.Event) -> None:
        self._writer.write(self._state.send(event) or b"")
        await self._writer.drain()
