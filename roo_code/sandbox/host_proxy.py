"""A proxy that connects to listed hosts and to no others.

Names are looked up here, and what is connected to is the address that was looked at. TLS is between
the program and the host: what they say is neither seen nor changed.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TypeAlias

from roo_code.sandbox.host_list import HostList, as_address
from roo_code.sandbox.name_lookup import look_up
from roo_code.sandbox.proxy_requests import NotForProxy, proxy_request
from roo_code.sandbox.public_addresses import IpAddress

_MOST_CONNECTIONS = 100
_MOST_REFUSALS = 20
_HEAD_BYTES = 1 << 16
_CHUNK = 1 << 16
_HEAD_SECONDS = 30
_CONNECT_SECONDS = 20
_SILENT_SECONDS = 600
_FAREWELL_SECONDS = 5
_PAUSE_SECONDS = 1
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_Serve: TypeAlias = Callable[
    [asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]
]
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[IpAddress]]]


class _Unserved(Exception):
    """The status and the reason are for the program to print."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.answer = (
            f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(reason) + 1}\r\nConnection: close\r\n\r\n{reason}\n"
        ).encode("ascii", "replace")


class HostProxy:
    """`refusals` are sentences on what programs were refused, each once."""

    def __init__(self, hosts: HostList, resolve: Resolve = look_up) -> None:
        self._hosts = hosts
        self._resolve = resolve
        self._connections: set[asyncio.Task[None]] = set()
        self.refusals: list[str] = []

    async def listen(self, listener: socket.socket) -> None:
        """Serve programs that know that this is a proxy, until cancelled."""
        await self._accept(listener, self._serve)

    async def stand_for(self, listener: socket.socket, host: str, port: int) -> None:
        """Serve programs that take this for the service itself, until cancelled."""
        await self._accept(listener, partial(self._pass_on, host=host, port=port))

    async def _accept(self, listener: socket.socket, serve: _Serve) -> None:
        """Who comes when there are too many waits: our descriptors are not theirs to use up."""
        loop, places = asyncio.get_running_loop(), asyncio.Semaphore(_MOST_CONNECTIONS)
        listener.setblocking(False)

        def part(task: asyncio.Task[None]) -> None:
            self._connections.discard(task)
            places.release()

        while True:
            await places.acquire()
            try:
                accepted, _ = await loop.sock_accept(listener)
            except OSError:  # somebody else has used them up
                places.release()
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            streams = await asyncio.open_connection(sock=accepted, limit=_HEAD_BYTES)
            task = asyncio.create_task(_served(serve, *streams))
            self._connections.add(task)
            task.add_done_callback(part)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        try:
            request = proxy_request(head)
            there, to_there = await self._connect(request.host, request.port)
        except NotForProxy:
            await _tell(
                reader, writer, _Unserved(400, "This proxy serves CONNECT and http:// alone")
            )
            return
        except _Unserved as unserved:
            await _tell(reader, writer, unserved)
            return
        if request.head is None:
            writer.write(_ESTABLISHED)
        else:
            to_there.write(request.head)
        await _join((reader, writer), (there, to_there))

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, host: str, port: int
    ) -> None:
        try:
            upstream = await self._connect(host, port)
        except _Unserved:
            return  # closed at once, as a service does that cannot be used
        await _join((reader, writer), upstream)

    async def _connect(self, host: str, port: int) -> Streams:
        failure = "no answer"
        addresses = await self._addresses(host, port)
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS / len(addresses)):
                    return await asyncio.open_connection(str(address), port)
            except OSError as error:
                failure = error.strerror or failure
        raise _Unserved(502, f"{host}:{port} cannot be reached: {failure}")

    async def _addresses(self, host: str, port: int) -> Sequence[IpAddress]:
        """Those that may be connected to, at least one."""
        if not self._hosts.has(host, port):
            raise self._refused(host, port, "it is not on sandboxHosts")
        literal = as_address(host)
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                found = [literal] if literal else await self._resolve(host, port)
        except OSError as error:
            raise _Unserved(502, f"{host} has no address that can be found") from error
        reached = [address for address in found if self._hosts.reaches(host, port, address)]
        if not reached:
            reason = f"it is at {found[0]}, which is not public, and not listed with its port"
            raise self._refused(host, port, reason)
        return reached

    def _refused(self, host: str, port: int, reason: str) -> _Unserved:
        said = f"{host}:{port} was refused; {reason}."
        if said not in self.refusals and len(self.refusals) <= _MOST_REFUSALS:
            is_last = len(self.refusals) == _MOST_REFUSALS
            self.refusals.append("Other hosts were refused as well." if is_last else said)
        return _Unserved(403, f"{host}:{port} was refused: {reason}")


async def _served(
    serve: _Serve, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        await serve(reader, writer)
    except (OSError, EOFError, asyncio.LimitOverrunError):
        pass  # either side is gone, silent, or does not speak HTTP
    finally:
        writer.close()


async def _tell(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, unserved: _Unserved
) -> None:
    """Also to who is still sending: to close on them would take the answer away from them."""
    writer.write(unserved.answer)
    writer.write_eof()
    async with asyncio.timeout(_FAREWELL_SECONDS):
        while await reader.read(_CHUNK):
            pass


async def _join(one: Streams, other: Streams) -> None:
    """Carry bytes both ways until both are done, or nothing is said for long."""
    (reader, writer), (there, to_there) = one, other
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_SILENT_SECONDS) as silence, asyncio.TaskGroup() as both:

            def is_heard() -> None:
                if not silence.expired():
                    silence.reschedule(loop.time() + _SILENT_SECONDS)

            both.create_task(_copy(reader, to_there, is_heard))
            both.create_task(_copy(there, writer, is_heard))
    except* OSError:
        pass
    finally:
        to_there.close()


async def _copy(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, is_heard: Callable[[], None]
) -> None:
    while data := await source.read(_CHUNK):
        is_heard()
        target.write(data)
        await target.drain()
    target.write_eof()
