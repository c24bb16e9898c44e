"""What a server offers, all pages of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import mcp_types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from roo_code.mcp_client.status import Listing, McpPrompt, McpResource, McpTool

_MOST_PAGES = 100


async def read_listing(client: Client) -> Listing:
    """What a server offers; a list that it fails to give is empty."""
    can = client.server_capabilities
    tools = [_tool(item) async for item in _all(client.list_tools, "tools", can.tools)]
    resources = [
        _resource(item) async for item in _all(client.list_resources, "resources", can.resources)
    ]
    templates = [
        _template(item)
        async for item in _all(client.list_resource_templates, "resource_templates", can.resources)
    ]
    prompts = [_prompt(item) async for item in _all(client.list_prompts, "prompts", can.prompts)]
    return Listing(
        tuple(tools),
        tuple(resources),
        tuple(templates),
        tuple(prompts),
        client.instructions or "",
    )


async def _all(
    ask: Callable[..., Awaitable[Any]], field: str, capability: object
) -> AsyncGenerator[Any]:
    if capability is None:
        return
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        try:
            page = await ask(cursor=cursor)
        except MCPError as error:
            if error.code == mcp_types.CONNECTION_CLOSED:
                raise
            return
        for item in getattr(page, field):
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return


def _tool(tool: mcp_types.Tool) -> McpTool:
    return McpTool(tool.name, tool.description or tool.title or "", tool.input_schema)


def _resource(resource: mcp_types.Resource) -> McpResource:
    return McpResource(
        str(resource.uri),
        resource.title or resource.name,
        resource.description or "",
        resource.mime_type or "",
    )


def _template(template: mcp_types.ResourceTemplate) -> McpResource:
    return McpResource(
        template.uri_template,
        template.title or template.name,
        template.description or "",
        template.mime_type or "",
    )


def _prompt(prompt: mcp_types.Prompt) -> McpPrompt:
    arguments = prompt.arguments or []
    return McpPrompt(
        prompt.name,
        prompt.description or prompt.title or "",
        tuple(argument.name for argument in arguments),
        tuple(argument.name for argument in arguments if argument.required),
    )
