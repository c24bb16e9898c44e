"""What every model service demands of a history."""

from collections.abc import Sequence

from roo_code.messages import Message, TextContent, ToolResult


def problems(messages: Sequence[Message]) -> list[str]:
    """Why a service would refuse these messages; empty if none would."""
    found: list[str] = []
    if messages and messages[0].role != "user":
        found.append("the first message is not the user's")
    open_ids: list[str] = []
    all_ids: list[str] = []
    for number, message in enumerate(messages):
        results = [b.tool_use_id for b in message.content if isinstance(b, ToolResult)]
        if number and messages[number - 1].role == message.role:
            found.append(f"message {number}: role {message.role} twice in a row")
        if not message.content:
            found.append(f"message {number}: empty")
        if any(isinstance(b, TextContent) and not b.text for b in message.content):
            found.append(f"message {number}: empty text")
        if message.role == "user" and sorted(results) != sorted(open_ids):
            found.append(f"message {number}: answers {results}, asked {open_ids}")
        if message.role == "assistant":
            open_ids = [call.id for call in message.tool_uses]
            all_ids += open_ids
        else:
            open_ids = []
    if len(set(all_ids)) != len(all_ids):
        found.append("call ids repeat")
    return found
