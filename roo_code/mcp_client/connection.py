"""One connection to a server: the only place, with its neighbours, that speaks through the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types
from mcp.client import Client, IncomingMessage
from mcp.client.auth import OAuthFlowError
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from roo_code.errors import ConnectionCut, RooCodeError, TimedOut, ToolError
from roo_code.mcp_access import McpAnswer, McpUser
from roo_code.mcp_client.breaks import SessionGone
from roo_code.mcp_client.calls_under_way import CallsUnderWay
from roo_code.mcp_client.circumstances import Negotiation
from roo_code.mcp_client.client_callbacks import ClientCallbacks
from roo_code.mcp_client.listing import read_listing
from roo_code.mcp_client.results import answer_of_call, answer_of_read, text_of_prompt
from roo_code.mcp_client.status import Listing
from roo_code.version import VERSION

R = TypeVar("R")

BREAKS = (
    MCPError,
    OAuthFlowError,
    RooCodeError,
    OSError,
    RuntimeError,
    ValueError,
    httpx2.HTTPError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    ExceptionGroup,
)
"""All that may come of a server that does not do as it should."""
_SESSION_GONE = "Session terminated"


class Connection:
    """Calls may be made from any task; each fails at once when the connection ends."""

    def __init__(self, client: Client, lost: asyncio.Event, calls: CallsUnderWay) -> None:
        self._client = client
        self._calls = calls
        self.lost = lost
        """Set when nothing will come any more."""
        self.stale = asyncio.Event()
        """Set when the server offers something else than it said."""

    async def listing(self) -> Listing:
        return await read_listing(self._client)

    async def call_tool(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        seconds: float,
        on_progress: Callable[[str], None],
        user: McpUser | None = None,
    ) -> McpAnswer:
        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g} of {total:g}" if total else f"{progress:g}"
            on_progress(f"{message} ({share})" if message else share)

        call = self._client.call_tool(tool, dict(arguments), progress_callback=progressed)
        return answer_of_call(await self._bounded(call, seconds, user))

    async def read_resource(self, uri: str, seconds: float) -> McpAnswer:
        read = self._client.read_resource(uri, cache_mode="bypass")
        return answer_of_read(await self._bounded(read, seconds))

    async def get_prompt(self, name: str, arguments: dict[str, str], seconds: float) -> str:
        return text_of_prompt(
            await self._bounded(self._client.get_prompt(name, arguments), seconds)
        )

    async def follow_changes(self) -> None:
        """Servers of the newest protocol tell of changes only to those who ask."""
        if self._client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        try:
            async with self._client.listen(
                tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as changes:
                async for _ in changes:
                    self.stale.set()
        except (MCPError, SubscriptionLost, TimeoutError):
            return  # it has none to tell of

    async def hear(self, message: IncomingMessage) -> None:
        if isinstance(
            message,
            mcp_types.ToolListChangedNotification
            | mcp_types.ResourceListChangedNotification
            | mcp_types.PromptListChangedNotification,
        ):
            self.stale.set()

    async def _bounded(self, work: Awaitable[R], seconds: float, user: McpUser | None = None) -> R:
        try:
            async with self._calls.begun(seconds, user):
                return await work
        except TimeoutError as error:
            raise TimedOut(f"The server did not answer within {seconds:g} s.") from error
        except MCPError as error:
            if error.message == _SESSION_GONE:
                self.lost.set()
                raise SessionGone("The server has forgotten this session.") from error
            if error.code == mcp_types.CONNECTION_CLOSED:
                self.lost.set()
                raise ConnectionCut("The connection to the server ended.") from error
            raise ToolError(f"The server answered with an error: {error.message}") from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            self.lost.set()
            raise ConnectionCut("The connection to the server ended.") from error
        except (RuntimeError, ValueError) as error:
            raise ToolError(f"The server's answer is not what it should be: {error}") from error


@asynccontextmanager
async def connected(
    transport: AbstractAsyncContextManager[Any],
    callbacks: ClientCallbacks,
    note: Callable[[str], None],
    mode: Negotiation = "auto",
) -> AsyncGenerator[Connection]:
    """A connection after the handshake; raises one of BREAKS if there can be none."""
    lost = asyncio.Event()
    connection: Connection | None = None

    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, Exception):
            note(str(message))
        elif connection is not None:
            await connection.hear(message)

    client = Client(
        _watched(transport, lost),  # pyright: ignore[reportArgumentType] - a transport but in name
        client_info=mcp_types.Implementation(name="Roo Code", version=VERSION),
        message_handler=hear,
        cache=None,
        mode=mode,
        **callbacks.offered(),
    )
    async with client:
        connection = Connection(client, lost, callbacks.calls)
        yield connection


@asynccontextmanager
async def _watched(
    transport: AbstractAsyncContextManager[Any], lost: asyncio.Event
) -> AsyncGenerator[tuple[Any, Any]]:
    async with transport as (incoming, outgoing):
        yield _Watched(incoming, lost), outgoing


class _Watched:
    """A stream of messages that says when it has ended."""

    def __init__(self, inner: Any, lost: asyncio.Event) -> None:
        self._inner = inner
        self._lost = lost

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return await self._inner.receive()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except StopAsyncIteration:
            self._lost.set()
            raise

    async def __aenter__(self) -> _Watched:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._lost.set()
        await self.aclose()
