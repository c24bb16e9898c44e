"""A conversation with everything in it, and shorthands for encoding it."""

from collections.abc import Sequence

from roo_code.config.schema import ProviderSettings
from roo_code.json_text import JsonValue
from roo_code.messages import (
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelRequest

PNG = ImageContent(media_type="image/png", data="aGk=")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
READ = ToolDefinition(name="read_file", description="Read a file.", input_schema=SCHEMA)
CONVERSATION = (
    Message.from_user("What is in a and b?", [PNG]),
    Message(
        role="assistant",
        content=(
            ReasoningContent(text="Look.", signature="sig"),
            ReasoningContent(redacted="c2VjcmV0"),
            TextContent(text="I look."),
            ToolUseContent(id="call_a", name="read_file", input={"path": "a"}),
            ToolUseContent(id="call b", name="read_file", invalid_input='{"pa'),
        ),
        model="claude-sonnet-4-5-20250929",
    ),
    Message(
        role="user",
        content=(
            ToolResult(tool_use_id="call_a", content="A", images=(PNG,)),
            ToolResult(tool_use_id="call b", content="no JSON", is_error=True),
            TextContent(text="And c?"),
        ),
    ),
)


def settings(provider: str = "anthropic", **fields: JsonValue) -> ProviderSettings:
    return ProviderSettings.read({"api_provider": provider, **fields})


def request(
    messages: Sequence[Message] = CONVERSATION,
    *,
    system_prompt: str = "Be brief.",
    tools: Sequence[ToolDefinition] = (READ,),
) -> ModelRequest:
    return ModelRequest(system_prompt=system_prompt, messages=messages, tools=tools)
