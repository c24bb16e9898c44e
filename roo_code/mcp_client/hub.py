"""McpHub: all MCP servers of this process, however many tasks and front ends use them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from roo_code.config.paths import roo_home
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpAnswer
from roo_code.mcp_client.benchmark import Benchmark
from roo_code.mcp_client.circumstances import Circumstances
from roo_code.mcp_client.config import ConfigFiles, FoundServer
from roo_code.mcp_client.entry import Source
from roo_code.mcp_client.status import McpStatus
from roo_code.mcp_client.watching import follow
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.workspace.uncut import uncut

FIRST_WAIT = 10.0
"""Seconds that a task's first request waits for servers that are connecting."""


def nobody_trusts(workspace: Path, found: FoundServer) -> bool:
    return False


class HubOptions(Struct, frozen=True, kw_only=True):
    around: Circumstances
    """Of its workspace only the place is replaced for each workspace."""
    home: Path | None = None
    is_trusted: Callable[[Path, FoundServer], bool] = nobody_trusts
    trusted_files: tuple[Path, ...] = ()
    """Files whose change may change what is trusted."""
    is_watching: bool = True
    detailed: bool = False
    """The setting `telemetry.mcp.enabled`."""


class McpHub:
    """Tasks of one workspace share their servers; two workspaces share none.

    A server works in a workspace, and is told of it as its root: to share it with another would
    show it files of both.
    """

    def __init__(self, options: HubOptions) -> None:
        self._options = options
        self._home = options.home or roo_home()
        self._workspaces: dict[Path, WorkspaceServers] = {}
        self._jobs: list[asyncio.Task[None]] = []
        self.benchmark = Benchmark(detailed=options.detailed, hide=options.around.hide)
        self.listeners: list[Callable[[McpStatus], None]] = []
        """Hear of every change of any server."""

    def has_servers(self, workspace: Path) -> bool:
        return ConfigFiles.of(workspace, self._home).exist()

    def at(self, workspace: Path) -> WorkspaceServers:
        """The servers of a workspace, which are started in the background when first asked for."""
        if workspace not in self._workspaces:
            options = self._options
            servers = WorkspaceServers(
                ConfigFiles.of(workspace, self._home),
                replace(options.around, workspace=workspace),
                self.benchmark,
                is_trusted=lambda found: options.is_trusted(workspace, found),
                tell=self._tell,
            )
            self._workspaces[workspace] = servers
            self._jobs.append(asyncio.create_task(self._serve(servers)))
        return self._workspaces[workspace]

    async def ready(self, workspace: Path, seconds: float = FIRST_WAIT) -> WorkspaceServers:
        """The servers, once those that are connecting have been waited for."""
        servers = self.at(workspace)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await servers.is_loaded.wait()
                await servers.settled(seconds)
        return servers

    async def call_tool(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        source: Source | None = None,
        workspace: Path | None = None,
    ) -> McpAnswer:
        """Of the workspace given, or of the one that was opened first."""
        servers = await self.ready(workspace or self._first())
        return await servers.call_tool(server, tool, arguments or {}, source=source)

    async def read_resource(
        self,
        server: str,
        uri: str,
        *,
        source: Source | None = None,
        workspace: Path | None = None,
    ) -> McpAnswer:
        servers = await self.ready(workspace or self._first())
        return await servers.read_resource(server, uri, source=source)

    callTool = call_tool
    readResource = read_resource

    def statuses(self) -> list[McpStatus]:
        return [status for servers in self._workspaces.values() for status in servers.statuses()]

    async def aclose(self) -> None:
        """End all servers; none is left behind, whoever is cancelled meanwhile."""
        await uncut(self._close())

    async def _close(self) -> None:
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        workspaces, self._workspaces = self._workspaces, {}
        await asyncio.gather(*(servers.aclose() for servers in workspaces.values()))

    async def _serve(self, servers: WorkspaceServers) -> None:
        try:
            await servers.reload()
        finally:
            servers.is_loaded.set()
        if self._options.is_watching:
            await follow(servers, self._options.trusted_files)

    def _first(self) -> Path:
        return next(iter(self._workspaces), self._options.around.workspace)

    def _tell(self, status: McpStatus) -> None:
        for listener in tuple(self.listeners):
            listener(status)


class McpServerManager:
    """The one hub of a host: there from the first front end until the last has left."""

    def __init__(self, create: Callable[[], McpHub]) -> None:
        self._create = create
        self._hub: McpHub | None = None
        self._users = 0

    def enter(self) -> McpHub:
        self._users += 1
        if self._hub is None:
            self._hub = self._create()
        return self._hub

    async def leave(self) -> None:
        self._users -= 1
        if self._users == 0 and self._hub is not None:
            hub, self._hub = self._hub, None
            await hub.aclose()
