"""Each tool of an MCP server under a name of its own, as the model is told of it."""

from __future__ import annotations

from typing import Any

from pydantic import RootModel

from roo_code.errors import ToolError
from roo_code.json_text import JsonValue
from roo_code.mcp_client.names import ToolPlace, find_tool
from roo_code.mcp_client.schemas import shown_input
from roo_code.mcp_client.server_calls import call_server_tool
from roo_code.mcp_client.status import McpTool
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.tools import Tool, ToolContext, ToolOutcome

_LONGEST_DESCRIPTION = 4000


class McpToolInput(RootModel[dict[str, Any]]):
    """Any object: the server checks what is in it."""


class McpNamedTool(Tool[McpToolInput]):
    """Which tool of which server it is, is looked up anew: servers come and go.

    A server's word that a tool changes nothing is not relied on, so none is `repeatable`.
    """

    group = "mcp"
    input_type = McpToolInput

    def __init__(self, name: str, servers: WorkspaceServers, tool: McpTool | None = None) -> None:
        self.name = name
        self.description = tool.description[:_LONGEST_DESCRIPTION] if tool else ""
        self._schema = shown_input(tool.input_schema if tool else None)
        self._servers = servers

    def input_schema(self) -> dict[str, Any]:
        return self._schema

    def server(self, arguments: McpToolInput) -> tuple[str, str]:
        place = self._place()
        return ("", "") if place is None else place

    async def execute(self, arguments: McpToolInput, context: ToolContext) -> ToolOutcome:
        place = self._place()
        if place is None:  # after a restart of ours the servers may still be connecting
            await self._servers.settled(self._servers.around.patience)
            place = self._place()
        if place is None:
            known = ", ".join(self._servers.places()) or "none"
            raise ToolError(f"No MCP server offers {self.name}. There are: {known}.")
        given: dict[str, JsonValue] = arguments.root
        return await call_server_tool(self._servers, place, given, context)

    def _place(self) -> ToolPlace | None:
        return find_tool(self.name, self._servers.places())
