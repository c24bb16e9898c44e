"""Keeps the tools that one task's model is told of as the servers offer them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from msgspec.structs import replace

from roo_code.mcp_client.named_tools import McpNamedTool
from roo_code.mcp_client.names import PREFIX
from roo_code.mcp_client.resource_tool import resources_text
from roo_code.mcp_client.status import McpTool
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.messages import ToolDefinition
from roo_code.tools import AnyTool, ToolRegistry, define

RESOURCE_TOOL = "access_mcp_resource"
_LONGEST_INSTRUCTIONS = 2000
MANY_TOOLS = 60
"""More than this makes models choose badly."""


class TaskTools:
    """The list changes only when what is offered does: a changed list costs the cached prefix.

    A server that has ended keeps its tools on the list; a call of one starts it again.
    """

    def __init__(
        self, registry: ToolRegistry, servers: WorkspaceServers, tell: Callable[[str], None]
    ) -> None:
        self.registry = registry
        self._servers = servers
        self._tell = tell
        self._plain: AnyTool | None = None
        self._version = -1
        self._listed: dict[str, ToolDefinition] = {}

    def find(self, name: str) -> AnyTool | None:
        """A tool that is not on the list: misspelt, or of a server that is still connecting."""
        is_meant = name.startswith((PREFIX, PREFIX.replace("-", "_")))
        return McpNamedTool(name, self._servers) if is_meant else None

    def update(self) -> None:
        if self._version == self._servers.version:
            return
        self._version = self._servers.version
        wanted = self._wanted()
        for name in self._listed.keys() - wanted.keys():
            self.registry.unregister(name)
        for name, tool in wanted.items():
            defined = define(tool)
            if self._listed.get(name) != defined:
                self.registry.register(tool)
                self._listed[name] = defined
        self._listed = {name: self._listed[name] for name in wanted}

    def _wanted(self) -> dict[str, AnyTool]:
        offered = {
            (pool.entry.name, tool.name): tool for pool in self._servers for tool in pool.offered()
        }
        places = self._servers.places()
        if len(places) > MANY_TOOLS >= len(self._listed):
            self._tell(
                f"MCP servers offer {len(places)} tools, more than {MANY_TOOLS}: models choose "
                "badly among so many. Switch some off with disabledTools."
            )
        wanted: dict[str, AnyTool] = {}
        if readable := resources_text(self._servers):
            wanted[RESOURCE_TOOL] = self._resource_tool(readable)
        untold = self._servers.instructions()
        for name, place in places.items():
            tool: McpTool = offered[place]
            if about := untold.pop(place.server, ""):
                tool = replace(tool, description=_with_instructions(tool, place.server, about))
            wanted[name] = McpNamedTool(name, self._servers, tool)
        return wanted

    def _resource_tool(self, readable: str) -> AnyTool:
        """The built-in tool, with what there is to read in its description."""
        if self._plain is None:
            self._plain = self.registry.get(RESOURCE_TOOL)
        assert self._plain is not None  # it is built in
        tool = copy(self._plain)
        tool.description = f"{tool.description}\nServers and what can be read:\n{readable}"
        return tool


def _with_instructions(tool: McpTool, server: str, instructions: str) -> str:
    """A server's words on how to use it go with its first tool: there the prefix is cached."""
    about = f"About the server {server}: {instructions[:_LONGEST_INSTRUCTIONS]}"
    return f"{tool.description}\n\n{about}".strip()
