"""Put together the hub of MCP servers that all tasks of a host share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from roo_code.agent import Agent
from roo_code.config.paths import roo_home
from roo_code.errors import ToolError
from roo_code.events import Event
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpUser, Question, Reply, Sample, SampleRequest

if TYPE_CHECKING:  # most runs have no servers
    from roo_code.mcp_client.circumstances import Confine
    from roo_code.mcp_client.config import FoundServer
    from roo_code.mcp_client.entry import ServerEntry
    from roo_code.mcp_client.hub import HubOptions, McpHub, McpServerManager
    from roo_code.mcp_client.task_tools import TaskTools
    from roo_code.mcp_client.workspace_servers import WorkspaceServers
    from roo_code.sandbox.sandbox import Sandbox


class HostServers:
    """Nothing is loaded, and no server started, before a task has one named in its settings."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()
        self._manager: McpServerManager | None = None
        self._hub: McpHub | None = None
        self._sandboxes: list[Sandbox] = []

    def serve(self, agent: Agent) -> None:
        """Have the agent's model told of the servers' tools, and its calls carried to them."""
        if agent.context.settings.get("mcpEnabled") is not False:
            agent.preparations.insert(0, _Serving(self, agent).prepare)

    def hub(self, settings: Mapping[str, JsonValue], workspace: Path) -> McpHub:
        """The one hub, made with the settings of the first task that needs it."""
        from roo_code.mcp_client.hub import McpHub, McpServerManager  # noqa: PLC0415 - few need it

        if self._hub is None:
            options = hub_options(settings, workspace, self._confine(settings), nobody())
            self._manager = McpServerManager(lambda: McpHub(options))
            self._hub = self._manager.enter()
        return self._hub

    def tell(self, message: str) -> None:
        """Once: every task of the host would say it again."""
        if message not in self._told:
            self._told.add(message)
            self._tell(message)

    async def aclose(self) -> None:
        if self._manager is not None:
            await self._manager.leave()
        self._hub = None
        for sandbox in self._sandboxes:
            sandbox.close()

    def _confine(self, settings: Mapping[str, JsonValue]) -> Confine | None:
        if settings.get("sandboxMcp") is not True:
            return None
        from roo_code.mcp_client.circumstances import Confined  # noqa: PLC0415 - few want it
        from roo_code.sandbox.chosen_sandbox import open_chosen_sandbox  # noqa: PLC0415

        def confine(
            workspace: Path, argv: Sequence[str], cwd: Path, environment: Mapping[str, str]
        ) -> Confined:
            # Who wants servers confined does not mean: unless commands are not.
            sandbox = open_chosen_sandbox({**settings, "sandbox": "required"}, workspace)
            self._sandboxes.append(sandbox)
            command = sandbox.wrap(argv, cwd=cwd, environment=environment)
            return Confined(command.argv, command.environment)

        return confine


class _Serving:
    """The servers of one task, looked for before each request until there are some."""

    def __init__(self, host: HostServers, agent: Agent) -> None:
        self._host = host
        self._agent = agent
        self._tools: TaskTools | None = None
        self._has_waited = False
        self._open()  # calls that an earlier process left may be the first to be made

    async def prepare(self) -> AsyncGenerator[Event]:
        if (tools := self._open()) is not None:
            hub = self._host.hub(self._agent.context.settings, self._root)
            servers = hub.at(self._root)
            if not self._has_waited:  # once: a server that never comes must not delay every turn
                self._has_waited = True
                await hub.ready(self._root)
            tools.update()
            for told in problems_of(servers):
                self._host.tell(told)
        events: tuple[Event, ...] = ()
        for event in events:
            yield event

    @property
    def _root(self) -> Path:
        return self._agent.context.workspace.root

    def _open(self) -> TaskTools | None:
        names = (self._root / ".roo" / "mcp.json", roo_home() / "mcp-settings.json")
        if self._tools is None and any(name.exists() for name in names):
            from roo_code.mcp_client.task_tools import TaskTools  # noqa: PLC0415 - few have any

            agent = self._agent
            servers = self._host.hub(agent.context.settings, self._root).at(self._root)
            agent.context = replace(agent.context, mcp=servers)
            self._tools = TaskTools(agent.tools, servers, self._host.tell)
            agent.tools.find_other = self._tools.find
        return self._tools


def nobody() -> McpUser:
    """For requests that no task's call brings a user for.

    Servers learn only once, when they connect, that they may ask at all.
    """

    async def decline(question: Question) -> Reply:
        return Reply("decline")

    async def refuse(request: SampleRequest) -> Sample:
        raise ToolError("Nobody can be asked now.")

    return McpUser(decline, refuse)


def hub_options(
    settings: Mapping[str, JsonValue],
    workspace: Path,
    confine: Confine | None = None,
    user: McpUser | None = None,
) -> HubOptions:
    """What the settings say to the hub."""
    from roo_code.config.secrets import SecretStore  # noqa: PLC0415
    from roo_code.config.trust import TrustStore  # noqa: PLC0415
    from roo_code.config.trust_contents import mcp_content  # noqa: PLC0415
    from roo_code.mcp_client.circumstances import Circumstances  # noqa: PLC0415
    from roo_code.mcp_client.hub import HubOptions  # noqa: PLC0415
    from roo_code.redaction import redact  # noqa: PLC0415
    from roo_code.workspace.child_environment import child_environment  # noqa: PLC0415

    trust = TrustStore(roo_home())
    added = settings.get("commandEnvironment")
    names = [str(name) for name in added] if isinstance(added, list) else []

    def is_trusted(workspace: Path, found: FoundServer) -> bool:
        return trust.is_trusted(mcp_content(workspace, found.entry.name, found.raw))

    around = Circumstances(
        workspace=workspace,
        environment=lambda: child_environment(names),
        confine=confine,
        secrets=SecretStore,
        user=user or McpUser(),
        hide=redact,
    )
    return HubOptions(
        around=around,
        is_trusted=is_trusted,
        trusted_files=(trust.path,),
        detailed=settings.get("telemetry.mcp.enabled") is True,
    )


def problems_of(servers: WorkspaceServers) -> list[str]:
    """What keeps servers from being used, as sentences for the user."""
    told = [str(problem) for problem in servers.problems]
    told += [
        f"The project's MCP server {name} was not started, because you have not consented to it. "
        "See: roo trust list; consent: roo trust grant."
        for name in servers.untrusted
    ]
    return told + [
        f"The MCP server {status.name} is not connected: {status.error}"
        for status in servers.statuses()
        if status.condition == "disconnected" and status.error
    ]


async def log_in_at(
    entry: ServerEntry, workspace: Path, *, paste: bool, port: int, tell: Callable[[str], None]
) -> int:
    """Have the user log in; the number of tools that the server offers then."""
    import webbrowser  # noqa: PLC0415 - only here

    from roo_code.config.secrets import SecretStore  # noqa: PLC0415
    from roo_code.mcp_client.circumstances import LoginWays  # noqa: PLC0415
    from roo_code.mcp_client.client_callbacks import ClientCallbacks  # noqa: PLC0415
    from roo_code.mcp_client.login import log_in  # noqa: PLC0415
    from roo_code.mcp_client.opening import BREAKS, explained  # noqa: PLC0415

    async def show(url: str) -> None:
        tell(f"Open this page to log in:\n  {url}")
        if not paste:
            await asyncio.to_thread(webbrowser.open, url)

    async def pasted() -> str:
        tell("Then paste the address that the browser was sent to, and press Enter:")
        return await asyncio.to_thread(sys.stdin.readline)

    ways = LoginWays(show, pasted if paste else None, port)
    callbacks = ClientCallbacks(entry.name, workspace, McpUser())
    try:
        return await log_in(entry, SecretStore, ways, callbacks)
    except BREAKS as error:
        raise explained(error) from error
