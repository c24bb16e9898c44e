"""What tools may ask of MCP servers, and what servers may ask in return."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

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


class Question(Struct, frozen=True):
    """Something a server wants to know from the user (elicitation)."""

    server: str
    message: str
    schema: Mapping[str, Any]
    """Of the form to be filled in; empty where there is only an address to be opened."""
    url: str = ""


class Reply(Struct, frozen=True):
    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] = {}


class SampleRequest(Struct, frozen=True):
    """Something a server wants a model to write."""

    server: str
    messages: tuple[tuple[Literal["user", "assistant"], str], ...]
    max_tokens: int
    system_prompt: str = ""
    temperature: float | None = None


class Sample(NamedTuple):
    text: str
    model: str


def nobody_listens(told: str) -> None:
    """What is told is not shown."""


class McpUser(NamedTuple):
    """Whom a server may ask; what is None is not offered to servers at all.

    A refusal to have something written is a ToolError, which the server is told.
    """

    answer: Callable[[Question], Awaitable[Reply]] | None = None
    sample: Callable[[SampleRequest], Awaitable[Sample]] | None = None
    of: str = ""
    """The task, where the user is asked through one."""
    note: Callable[[str], None] = nobody_listens
    """Hears why a server was not answered, for whoever made the call."""


DECLINE = "/decline"
"""What a person says to refuse what a server asks."""


class McpAccess(Protocol):
    """The servers that one task may use. Raises ToolError for what the model should read."""

    async def call_tool(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        on_progress: Callable[[str], None] = nobody_listens,
        user: McpUser | None = None,
    ) -> McpAnswer:
        """`user` is asked what the server wants to know while it works on this call."""
        ...

    async def read_resource(self, server: str, uri: str) -> McpAnswer: ...

    async def get_prompt(self, name: str, arguments: str) -> str | None:
        """A server's prompt by its name as a slash command; None if there is no such prompt."""
        ...

    def always_allows(self, server: str, tool: str) -> bool:
        """Whether the user allows this tool of this server without being asked."""
        ...

    def lists_resource(self, server: str, uri: str) -> bool:
        """Whether the server itself names this address, so that asking for it tells nothing."""
        ...
