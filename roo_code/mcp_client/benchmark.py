"""What happened with servers, measured: for front ends, for evaluations, and as lines of a log."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from roo_code.json_text import JsonValue, to_json
from roo_code.providers.text_edits import edited_value

logger = logging.getLogger(__name__)

EventName: TypeAlias = Literal[
    "mcp:connection",
    "mcp:tool:start",
    "mcp:tool:success",
    "mcp:tool:error",
    "mcp:resource",
    "mcp:resource:error",
]
EVENTS_KEPT = 1000
LINE = "🎯 MCP_BENCHMARK:"


class McpEvent(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """In JSON its fields are called as in Roo Code: `serverName`, `responseSize`."""

    name: EventName
    server_name: str
    timestamp: int
    """Milliseconds since 1970."""
    tool_name: str = ""
    uri: str = ""
    transport: str = ""
    condition: str = ""
    duration: float = 0.0
    """Milliseconds."""
    response_size: int = 0
    """Characters of the result as JSON."""
    error: str = ""
    arguments: Mapping[str, JsonValue] | None = None
    """Only where the telemetry of MCP is on, like the result."""
    result: JsonValue = None


class Benchmark:
    """Keeps the last events and shows each to all who listen."""

    def __init__(self, *, detailed: bool = False, hide: Callable[[str], str] = str) -> None:
        self.detailed = detailed
        """Whether arguments and results are told: the setting `telemetry.mcp.enabled`."""
        self.events: deque[McpEvent] = deque(maxlen=EVENTS_KEPT)
        self.listeners: list[Callable[[McpEvent], None]] = []
        self._hide = hide

    def tell(self, name: EventName, server: str, **facts: Any) -> McpEvent:
        event = McpEvent(
            name=name, server_name=server, timestamp=time.time_ns() // 1_000_000, **facts
        )
        self.events.append(event)
        for listener in tuple(self.listeners):
            listener(event)
        return event

    def tell_call(
        self,
        name: Literal["mcp:tool:success", "mcp:tool:error"],
        server: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        **facts: Any,
    ) -> None:
        """The end of a call, with a line in the log where the telemetry of MCP is on."""
        if not self.detailed:
            self.tell(name, server, **facts)
            return
        told: dict[str, JsonValue] = {"arguments": dict(arguments), "result": result}
        hidden = edited_value(told, self._hide)
        event = self.tell(name, server, **facts, **hidden)
        line = {
            "serverName": server,
            "toolName": event.tool_name,
            "duration": event.duration,
            "responseSize": event.response_size,
            **hidden,
        }
        logger.info("%s %s", LINE, to_json(line).decode())
