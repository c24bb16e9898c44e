"""A tool as an MCP client sees and calls it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from roo_code.mcp.messages import Json
from roo_code.mcp.session import Session

Progress: TypeAlias = Callable[[str], None]
TEXT: Json = {"type": "string"}


class Call(NamedTuple):
    session: Session
    arguments: Json
    progress: Progress


class ServedTool(NamedTuple):
    name: str
    description: str
    properties: Json
    required: tuple[str, ...]
    run: Callable[[Call], Awaitable[str]]
    is_read_only: bool = False

    def definition(self) -> Json:
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": self.properties,
                "required": list(self.required),
            },
            "annotations": {"readOnlyHint": self.is_read_only},
        }
