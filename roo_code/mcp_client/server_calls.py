"""Calls of servers for a task: progress and questions to its front end, answers as a tool's."""

from __future__ import annotations

from collections.abc import Mapping

from roo_code.events import ToolOutput
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpAccess, McpAnswer
from roo_code.mcp_client.call_user import CallUser
from roo_code.mcp_client.names import ToolPlace
from roo_code.messages import ImageContent
from roo_code.tools import ToolContext, ToolOutcome


async def call_server_tool(
    servers: McpAccess, place: ToolPlace, arguments: Mapping[str, JsonValue], context: ToolContext
) -> ToolOutcome:
    def progressed(text: str) -> None:
        context.emit(ToolOutput(tool_use_id=context.tool_use_id, text=f"{text}\n"))

    user = CallUser(context)
    answer = await servers.call_tool(*place, arguments, on_progress=progressed, user=user.as_user())
    told = outcome(answer)
    return told._replace(content="\n".join([told.content, *user.notes]))


def outcome(answer: McpAnswer) -> ToolOutcome:
    images = (ImageContent(media_type=kind, data=data) for kind, data in answer.images)
    return ToolOutcome(answer.text, tuple(images), answer.is_error)
