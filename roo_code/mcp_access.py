"""What tools may ask of MCP servers, however these are reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from roo_code.json_text import JsonValue


class McpImage(NamedTuple):
    media_type: str
    data: str
    """Base64."""


class McpAnswer(Struct, frozen=True, kw_only=True):
    """What a server returned, in the shape that a model reads."""

    text: str
    images: tuple[McpImage, ...] = ()
    is_error: bool = False
    raw: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """As the server sent it."""


def nobody_listens(progress: str) -> None:
    """Progress that is not shown."""


class McpAccess(Protocol):
    """The servers that one task may use. Raises ToolError for what the model should read."""

    async def call_tool(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        on_progress: Callable[[str], None] = nobody_listens,
    ) -> McpAnswer: ...

    async def read_resource(self, server: str, uri: str) -> McpAnswer: ...

    async def get_prompt(self, name: str, arguments: str) -> str | None:
        """A server's prompt by its name as a slash command; None if there is no such prompt."""
        ...

    def always_allows(self, server: str, tool: str) -> bool:
        """Whether the user allows this tool of this server without being asked."""
        ...
