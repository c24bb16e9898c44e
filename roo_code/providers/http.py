"""One service over HTTP: a request out, its events in, every failure one of our errors."""

from __future__ import annotations

import asyncio
import math
import os
import ssl
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import h11
from msgspec import Struct

from roo_code.errors import (
    ConfigError,
    ConnectionCut,
    ConnectionFailed,
    ProtocolError,
    RooCodeError,
    TimedOut,
)
from roo_code.providers.answers import check
from roo_code.providers.connection import Connection, Head
from roo_code.providers.dialing import Address, find_proxy
from roo_code.providers.framing import LARGEST_EVENT, Framing, WireEvent

CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30.0


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where requests go, and what goes with each."""

    provider: str
    address: Address
    idle_seconds: float
    """In which something must arrive."""
    total_seconds: float = math.inf
    """In which all of an answer must."""
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Endpoint({self.who})"

    @property
    def who(self) -> str:
        """For messages: no query, no user information, no key."""
        return f"{self.provider} ({self.address.shown})"


class HttpService:
    """Sends requests to one endpoint, over a connection that was used before if there is one."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: dict[Connection, asyncio.TimerHandle] = {}

    async def post(
        self, body: bytes, parser: Framing, signature: Mapping[str, str] | None = None
    ) -> AsyncGenerator[list[WireEvent]]:
        """Send the request and yield the events of the answer as they arrive.

        `signature` is what this request alone carries besides the endpoint's headers.
        """
        deadline = asyncio.get_running_loop().time() + self._endpoint.total_seconds
        try:
            connection, head = await self._ask(
                body, {**self._endpoint.headers, **(signature or {})}, deadline
            )
            try:
                async with aclosing(connection.body(head)) as data:
                    await check(head, data, self._endpoint.who, wants_json=self._wants_json)
                    async for piece in data:
                        if events := parser.feed(piece):
                            yield events
            finally:
                self._put_back(connection)
        except (OSError, h11.ProtocolError, zlib.error) as error:
            is_late = asyncio.get_running_loop().time() >= deadline
            raise self._not_arrived(error, is_late=is_late) from error
        if events := parser.finish():
            yield events

    async def fetch(self, body: bytes | None = None) -> bytes:
        """The whole of a JSON answer, to a POST of the body or to a GET."""
        try:
            connection, head = await self._ask(body, self._endpoint.headers, math.inf)
            try:
                async with aclosing(connection.body(head)) as data:
                    await check(head, data, self._endpoint.who, wants_json=True)
                    return await self._whole(data)
            finally:
                self._put_back(connection)
        except (OSError, h11.ProtocolError, zlib.error) as error:
            raise self._not_arrived(error) from error

    async def _whole(self, data: AsyncGenerator[bytes]) -> bytes:
        whole = bytearray()
        async for piece in data:
            whole += piece
            if len(whole) > LARGEST_EVENT:
                raise ProtocolError(f"The answer of {self._endpoint.who} has no end.")
        return bytes(whole)

    @property
    def _wants_json(self) -> bool:
        return self._endpoint.headers.get("accept") == "application/json"

    async def aclose(self) -> None:
        for connection in list(self._usable()):
            self._idle.pop(connection).cancel()
            connection.abort()
        await asyncio.sleep(0)  # the event loop closes them on its next turn

    async def _ask(
        self, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> tuple[Connection, Head]:
        while True:
            connection = self._take_idle() or await self._open()
            try:
                return connection, await connection.ask(
                    self._endpoint.address,
                    headers,
                    body,
                    self._endpoint.idle_seconds,
                    deadline,
                )
            except BaseException as error:
                connection.abort()
                # The service may have closed an idle connection while this request was sent.
                was_stale = isinstance(error, ConnectionError | h11.RemoteProtocolError)
                if not (was_stale and connection.used):
                    raise

    async def _open(self) -> Connection:
        endpoint = self._endpoint
        proxy = find_proxy(endpoint.address)
        try:
            return await Connection.open(endpoint.address, proxy, CONNECT_SECONDS)
        except TimeoutError as error:
            raise ConnectionFailed(
                f"{endpoint.who} did not accept a connection in {CONNECT_SECONDS:g} s."
            ) from error
        except OSError as error:
            raise ConnectionFailed(
                f"Could not connect to {endpoint.who}: {_reason(error)}."
            ) from error

    def _take_idle(self) -> Connection | None:
        for connection in list(self._usable()):
            self._idle.pop(connection).cancel()
            if connection.is_alive:
                return connection
            connection.abort()
        return None

    def _put_back(self, connection: Connection) -> None:
        if connection.release():
            loop = asyncio.get_running_loop()
            self._usable()[connection] = loop.call_later(
                _KEEP_ALIVE_SECONDS, self._expire, connection
            )
        else:
            connection.abort()

    def _expire(self, connection: Connection) -> None:
        self._idle.pop(connection, None)
        connection.abort()

    def _usable(self) -> dict[Connection, asyncio.TimerHandle]:
        """The idle connections of the running event loop; those of an ended one are lost."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._idle.clear()
        return self._idle

    def _not_arrived(self, error: Exception, *, is_late: bool = False) -> RooCodeError:
        who, why = self._endpoint.who, _reason(error)
        if isinstance(error, TimeoutError) and is_late:
            return TimedOut(f"{who} was not done after {self._endpoint.total_seconds:g} s.")
        if isinstance(error, TimeoutError):
            return TimedOut(f"{who} sent nothing for {self._endpoint.idle_seconds:g} s.")
        if isinstance(error, h11.LocalProtocolError):
            return ConfigError(f"The request to {who} cannot be sent: {why}.")
        if isinstance(error, zlib.error):
            return ProtocolError(f"The answer of {who} cannot be unpacked: {why}.")
        return ConnectionCut(f"{who} closed the connection before its reply was done: {why}.")


def _reason(error: Exception) -> str:
    """What the system says of it, in words rather than in the terms of this program."""
    if isinstance(error, OSError) and error.strerror:
        number = 0 if isinstance(error, ssl.SSLError) else error.errno or 0
        return os.strerror(number) if number > 0 else error.strerror
    if isinstance(error, h11.RemoteProtocolError) and "ConnectionClosed" in str(error):
        return "it hung up without an answer"  # h11 tells of its own states
    return str(error).rstrip(".") or type(error).__name__
