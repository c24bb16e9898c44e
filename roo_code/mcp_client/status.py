"""What is told of a server: how it is, what it offers, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from roo_code.mcp_client.entry import ServerType, Source

Condition: TypeAlias = Literal["connecting", "connected", "disconnected", "disabled"]


class McpTool(Struct, frozen=True):
    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict[str, Any])


class McpResource(Struct, frozen=True):
    uri: str
    """Or, of a template, the pattern of it."""
    name: str = ""
    description: str = ""
    media_type: str = ""


class McpPrompt(Struct, frozen=True):
    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


class Listing(Struct, frozen=True):
    """What a server says it offers."""

    tools: tuple[McpTool, ...] = ()
    resources: tuple[McpResource, ...] = ()
    templates: tuple[McpResource, ...] = ()
    prompts: tuple[McpPrompt, ...] = ()
    instructions: str = ""


class ErrorNote(Struct, frozen=True):
    message: str
    at: float
    """Seconds since 1970."""
    level: Literal["error", "warning", "info"] = "error"


class McpStatus(Struct, frozen=True, kw_only=True):
    """A server as it is now."""

    name: str
    source: Source
    type: ServerType
    condition: Condition
    error: str = ""
    """The last thing that went wrong, if it is not connected."""
    needs_login: bool = False
    errors: tuple[ErrorNote, ...] = ()
    listing: Listing = Listing()
    restarts: int = 0
