import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ToolsListChanged

from roo_code.errors import ToolError
from roo_code.mcp_client.http import SparedTransport
from tests.mcp_client.http_servers import free_port
from tests.mcp_client.hubs import Place
from tests.waiting import until

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Moody:
    """A real server, in front of which requests are refused as often as it is told."""

    def __init__(self, kind: str) -> None:
        self.changes = InMemorySubscriptionBus()
        self.server = server = MCPServer("moody", subscriptions=self.changes)
        self.calls = 0
        self.refusals = 0
        self.headers: list[dict[bytes, bytes]] = []

        @server.tool()
        async def count() -> str:
            """How often it was called."""
            self.calls += 1
            return str(self.calls)

        @server.tool()
        async def hang() -> str:
            """Never answer."""
            await asyncio.Event().wait()
            return ""

        self._app = server.sse_app() if kind == "sse" else server.streamable_http_app()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self.headers.append(dict(scope["headers"]))
            if self.refusals:
                self.refusals -= 1
                head = [(b"retry-after", b"0")]
                await send({"type": "http.response.start", "status": 503, "headers": head})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


@asynccontextmanager
async def moody(port: int, kind: str = "streamable-http") -> AsyncGenerator[Moody]:
    app = Moody(kind)
    config = uvicorn.Config(app, port=port, log_level="error", ws="none")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started:
            await asyncio.sleep(0.005)
        yield app
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving


@pytest.mark.requirement("mcp-hub:transport:sse")
@pytest.mark.parametrize(("kind", "path"), [("sse", "/sse"), ("streamable-http", "/mcp")])
async def test_a_server_is_reached_at_its_address_with_the_headers(
    place: Place, kind: str, path: str
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}{path}"
    place.name(m={"type": kind, "url": url, "headers": {"X-Own": "me"}})
    async with moody(port, kind) as app, place.servers() as servers:
        assert (await servers.call_tool("m", "count", {})).text == "1"
        assert len(app.headers) > 2
        assert all(headers[b"x-own"] == b"me" for headers in app.headers)


@pytest.mark.requirement("mcp-hub:http:retry")
async def test_what_was_surely_not_done_is_asked_again_and_the_rest_is_not(place: Place) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    place.name(m={"type": "streamable-http", "url": url, "timeout": 1, "headers": {"X-Own": "me"}})
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    async with moody(port) as app, place.servers(pause=pause) as servers:
        assert (await servers.call_tool("m", "count", {})).text == "1"
        assert all(headers[b"x-own"] == b"me" for headers in app.headers)
        app.refusals = 2
        assert (await servers.call_tool("m", "count", {})).text == "2"
        assert waits == [0.25, 0.75]
        with pytest.raises(ToolError, match="did not answer within 1 s"):
            await servers.call_tool("m", "hang", {})
        assert (await servers.call_tool("m", "count", {})).text == "3"
        app.refusals = 3
        with pytest.raises(ToolError):
            await servers.call_tool("m", "count", {})
        assert app.calls == 3


async def test_a_server_of_the_newest_protocol_is_asked_to_tell_of_changes(place: Place) -> None:
    port = free_port()
    place.name(m={"type": "streamable-http", "url": f"http://127.0.0.1:{port}/mcp"})
    async with moody(port) as app, place.servers() as servers:
        app.server.add_tool(lambda: "grown", name="grown")

        async def is_known() -> bool:
            await app.changes.publish(ToolsListChanged())
            return "mcp--m--grown" in servers.places()

        await until(is_known)
        assert (await servers.call_tool("m", "grown", {})).text == "grown"


async def test_what_is_said_is_not_in_the_log(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    port = free_port()
    place.name(m={"type": "streamable-http", "url": f"http://127.0.0.1:{port}/mcp"})
    async with moody(port), place.servers() as servers:
        caplog.clear()
        await servers.call_tool("m", "count", {"private": "words"})
        assert "private" not in caplog.text


async def test_a_server_that_nobody_reaches_is_tried_a_few_times() -> None:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    transport = SparedTransport(httpx2.AsyncHTTPTransport(), pause)
    async with httpx2.AsyncClient(transport=transport) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.post(f"http://127.0.0.1:{free_port()}/mcp", json={})
    assert waits == [0.25, 0.75]
