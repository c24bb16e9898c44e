"""HTTP to servers: requests that did not arrive are sent again, and refusals are remembered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from roo_code.mcp_client.entry import ServerEntry

TRIES = 3
FIRST_WAIT, GROWTH, LONGEST_WAIT = 0.25, 3.0, 10.0
_CONNECT_SECONDS = 10.0
_STREAM_SECONDS = 300.0
"""Of silence on a stream that a server keeps open."""
LARGEST_EVENT = 64_000_000
_NOT_TAKEN = frozenset({429, 503})
"""The server says that it did nothing with the request."""


class SparedTransport(httpx2.AsyncBaseTransport):
    """Tries again what surely had no effect: nobody was reached, or the server was too busy."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._inner = inner
        self._pause = pause
        self.last_status = 0
        """Of the last answer; 401 says that a login is needed."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        wait = FIRST_WAIT
        for _ in range(TRIES - 1):
            try:
                response = await self._inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                pass
            else:
                self.last_status = response.status_code
                if response.status_code not in _NOT_TAKEN:
                    return response
                await response.aclose()
                wait = max(wait, _retry_after(response))
            await self._pause(min(wait, LONGEST_WAIT))
            wait *= GROWTH
        response = await self._inner.handle_async_request(request)
        self.last_status = response.status_code
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def _retry_after(response: httpx2.Response) -> float:
    try:
        return float(response.headers.get("retry-after", "0"))
    except ValueError:
        return 0.0


@asynccontextmanager
async def over_http(
    entry: ServerEntry, transport: SparedTransport, login: httpx2.Auth | None
) -> AsyncGenerator[Any]:
    """The SDK's streams for a server that is reached at an address."""
    patience = httpx2.Timeout(_CONNECT_SECONDS, read=max(_STREAM_SECONDS, entry.timeout))

    def client(
        headers: object = None, timeout: object = None, auth: object = None
    ) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            headers=entry.headers, timeout=patience, auth=login, transport=transport
        )

    if entry.type == "sse":
        async with sse_client(entry.url, httpx_client_factory=client) as streams:
            yield streams
        return
    async with (
        client() as http,
        streamable_http_client(
            entry.url, http_client=http, max_sse_event_size=LARGEST_EVENT
        ) as streams,
    ):
        yield streams
