"""use_mcp_tool and access_mcp_resource: what MCP servers offer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.tool_input import ToolInput, from_json_text
from roo_code.errors import ToolError
from roo_code.mcp_access import McpAccess
from roo_code.mcp_client.names import ToolPlace
from roo_code.mcp_client.server_calls import call_server_tool, outcome
from roo_code.tools import Tool, ToolContext, ToolOutcome

_SERVER = AliasChoices("server_name", "server", "serverName")


class UseMcpToolInput(ToolInput):
    server_name: str = Field(
        min_length=1, validation_alias=_SERVER, description="The server that has the tool."
    )
    tool_name: str = Field(
        min_length=1,
        validation_alias=AliasChoices("tool_name", "tool", "toolName"),
        description="The tool's name, as its server calls it.",
    )
    arguments: Annotated[dict[str, Any], BeforeValidator(from_json_text)] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("arguments", "args", "input", "tool_input"),
        description="The tool's own input.",
    )


class UseMcpTool(Tool[UseMcpToolInput]):
    name = "use_mcp_tool"
    description = "Call a tool of a connected MCP server."
    group = "mcp"
    input_type = UseMcpToolInput

    def server(self, arguments: UseMcpToolInput) -> tuple[str, str]:
        return arguments.server_name, arguments.tool_name

    async def execute(self, arguments: UseMcpToolInput, context: ToolContext) -> ToolOutcome:
        place = ToolPlace(arguments.server_name, arguments.tool_name)
        return await call_server_tool(_servers(context), place, arguments.arguments, context)


class AccessMcpResourceInput(ToolInput):
    server_name: str = Field(
        min_length=1, validation_alias=_SERVER, description="The server that has the resource."
    )
    uri: str = Field(min_length=1, description="The resource's URI, as the server names it.")


class AccessMcpResource(Tool[AccessMcpResourceInput]):
    name = "access_mcp_resource"
    description = "Read a resource of a connected MCP server: a file, a record, a page."
    group = "mcp"
    input_type = AccessMcpResourceInput

    def server(self, arguments: AccessMcpResourceInput) -> tuple[str, str]:
        return arguments.server_name, ""

    def is_allowed_by(self, servers: McpAccess, arguments: AccessMcpResourceInput) -> bool:
        """An address that the model makes up can carry to the server what it has read elsewhere."""
        return servers.lists_resource(arguments.server_name, arguments.uri)

    async def execute(self, arguments: AccessMcpResourceInput, context: ToolContext) -> ToolOutcome:
        return outcome(await _servers(context).read_resource(arguments.server_name, arguments.uri))


def _servers(context: ToolContext) -> McpAccess:
    if context.mcp is None:
        raise ToolError(
            "There are no MCP servers here: none is named in .roo/mcp.json or in the user's "
            "settings, or MCP is switched off."
        )
    return context.mcp
