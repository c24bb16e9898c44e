"""The connections to one server: one, or as many as its entry wants for calls side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from roo_code.errors import ConnectionCut, TimedOut, ToolError
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpAnswer, McpUser
from roo_code.mcp_client.breaks import SessionGone
from roo_code.mcp_client.cache import ReadCache
from roo_code.mcp_client.circumstances import Circumstances
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.names import loose
from roo_code.mcp_client.status import McpStatus, McpTool
from roo_code.mcp_client.supervision import McpServer

if TYPE_CHECKING:
    from roo_code.mcp_client.connection import Connection


class ServerPool:
    """What callers see of a server. Its first connection speaks for all."""

    def __init__(
        self,
        entry: ServerEntry,
        around: Circumstances,
        tell: Callable[[ServerPool], None],
        may_start: Callable[[], bool] = lambda: True,
    ) -> None:
        self.entry = entry
        self._tell = tell
        self._cache = ReadCache(around.clock)
        self.members = [
            McpServer(entry, around, self._heard, may_start) for _ in range(entry.connections)
        ]

    @property
    def first(self) -> McpServer:
        return self.members[0]

    def start(self) -> None:
        for member in self.members:
            member.start()

    async def stop(self) -> None:
        await asyncio.gather(*(member.stop() for member in self.members))

    async def restart(self) -> None:
        await asyncio.gather(*(member.restart() for member in self.members))

    def update(self, entry: ServerEntry) -> None:
        """Take over what needs no new connection."""
        self.entry = entry
        for member in self.members:
            member.entry = entry
        self._tell(self)

    def status(self) -> McpStatus:
        return self.first.status()

    def offered(self) -> tuple[McpTool, ...]:
        """Its tools, without those that the user has switched off."""
        hidden = set(self.entry.disabled_tools)
        return tuple(tool for tool in self.first.listing.tools if tool.name not in hidden)

    async def call_tool(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        on_progress: Callable[[str], None],
        user: McpUser | None = None,
    ) -> McpAnswer:
        async def call(connection: Connection) -> McpAnswer:
            name = self._known(tool)
            seconds = self.entry.timeout
            return await connection.call_tool(name, arguments, seconds, on_progress, user)

        try:
            async with self._least_busy() as connection:
                return await call(connection)
        except SessionGone:  # it was not run, so it may be run now
            async with self._least_busy() as connection:
                return await call(connection)

    async def read_resource(self, uri: str) -> McpAnswer:
        if (known := self._cache.get(uri)) is not None:
            return known
        try:
            async with self._least_busy() as connection:
                answer = await connection.read_resource(uri, self.entry.timeout)
        except ConnectionCut:  # reading changes nothing
            async with self._least_busy() as connection:
                answer = await connection.read_resource(uri, self.entry.timeout)
        self._cache.keep(uri, answer, self.entry.cache_seconds)
        return answer

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> str:
        async with self._least_busy() as connection:
            return await connection.get_prompt(name, arguments, self.entry.timeout)

    def _known(self, tool: str) -> str:
        """The tool by its own name, which models do not always hit."""
        names = [known.name for known in self.first.listing.tools]
        alike = [name for name in names if loose(name) == loose(tool)]
        name = tool if tool in names else alike[0] if alike else ""
        if not name:
            listed = ", ".join(known.name for known in self.offered()) or "none"
            raise ToolError(
                f"The MCP server {self.entry.name} has no tool {tool!r}. Its tools are: {listed}."
            )
        if name in self.entry.disabled_tools:
            raise ToolError(f"The user has switched off the tool {name} of {self.entry.name}.")
        return name

    @asynccontextmanager
    async def _least_busy(self) -> AsyncGenerator[Connection]:
        connected = [member for member in self.members if member.condition == "connected"]
        member = min(connected or self.members[:1], key=lambda member: member.calls)
        connection = await member.connection()
        member.calls += 1
        try:
            yield connection
        except (ConnectionCut, TimedOut) as error:
            member.note(str(error))
            raise
        finally:
            member.calls -= 1

    def _heard(self, member: McpServer) -> None:
        if member is self.first:
            self._cache.clear()
            self._tell(self)
