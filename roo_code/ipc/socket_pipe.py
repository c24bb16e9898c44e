"""SocketPipe: the bytes of one connection, with as little between them and us as can be."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import cast

_BUFFER = 128 * 1024
"""One for each connection: asyncio would otherwise take and give back as much at every read."""
_MOST_UNREAD = 1024 * 1024


class SocketPipe(asyncio.BufferedProtocol):
    """A slow reader makes the sender wait; a writer is told how much is unsent, and never waits."""

    def __init__(self, connected: Callable[[SocketPipe], None] = lambda pipe: None) -> None:
        self._connected = connected
        """Called once there is a connection."""
        self._buffer = bytearray(_BUFFER)
        self._unread = bytearray()
        self._has_ended = False
        self._is_paused = False
        self._arrived = asyncio.Event()
        self._sent = asyncio.Event()
        self._sent.set()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connected(self)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._unread += memoryview(self._buffer)[:nbytes]
        self._arrived.set()
        if len(self._unread) > _MOST_UNREAD and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_ended = True
        self._arrived.set()
        self._sent.set()

    def pause_writing(self) -> None:
        self._sent.clear()

    def resume_writing(self) -> None:
        self._sent.set()

    @property
    def socket(self) -> socket.socket | None:
        return self._transport.get_extra_info("socket") if self._transport else None

    async def read(self) -> bytes:
        """What has come, or what comes next; empty at the end."""
        while not self._unread and not self._has_ended:
            self._arrived.clear()
            await self._arrived.wait()
        data = bytes(self._unread)
        self._unread.clear()
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
        return data

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    @property
    def unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport else 0

    async def drained(self) -> None:
        """Until nothing is unsent."""
        if self._transport is not None and self.unsent:
            self._transport.set_write_buffer_limits(0)
            await self._sent.wait()

    def close(self) -> None:
        """At once; what is unsent is lost."""
        if self._transport is not None:
            self._transport.abort()
