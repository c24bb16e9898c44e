"""What a tool says, without the keys of the run: neither the model nor the log needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from roo_code.events import Event, ToolOutput
from roo_code.json_text import JsonValue
from roo_code.messages import ToolResult
from roo_code.tools import AnyTool, Recovery, ToolContext, run_once


def hiding(recovery: Recovery | None, hide: Callable[[str], str]) -> Recovery:
    """The same way of carrying out a call, with `hide` over all text that comes of it."""
    inner = recovery or run_once

    async def carry_out(
        tool: AnyTool, input_data: Mapping[str, JsonValue], context: ToolContext
    ) -> ToolResult:
        def emit(event: Event) -> None:
            if isinstance(event, ToolOutput):
                event = event.replace(text=hide(event.text))
            context.emit(event)

        result = await inner(tool, input_data, replace(context, emit=emit, hide=hide))
        return result.replace(content=hide(result.content))

    return carry_out
