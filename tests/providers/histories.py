"""Conversations of every kind that a request may have to tell, for each wire format to encode."""

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
from tests.providers.requests import READ, SCHEMA

PIXEL = ImageContent(
    media_type="image/png",
    data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)
LIST = ToolDefinition(name="list_files", description="List files.", input_schema=SCHEMA)
TOOLS = (READ, LIST)
ASKED = Message.from_user("What is in a?")


def reply(*blocks: TextContent | ReasoningContent | ToolUseContent, model: str = "") -> Message:
    return Message(role="assistant", content=blocks, model=model or None)


def calling(id: str, path: str = "a") -> ToolUseContent:
    return ToolUseContent(id=id, name="read_file", input={"path": path})


def _thought(model: str) -> ReasoningContent:
    if "claude" in model:
        return ReasoningContent(text="Look first.", signature="c2lnbmVk")
    return ReasoningContent(text="Look first.", signature="ZW5jcnlwdGVk", id="rs_1")


def histories(model: str) -> dict[str, tuple[Message, ...]]:
    """By name; each ends where it is the model's turn. The reasoning is of the given model."""
    said = TextContent(text="I look.")
    call, other = calling("call_1"), calling("call_2", "b")
    result = ToolResult(tool_use_id="call_1", content="text of a")
    failed = ToolResult(tool_use_id="call_2", content="no such file", is_error=True)
    shown = ToolResult(tool_use_id="call_1", content="a picture", images=(PIXEL,))
    broken = ToolUseContent(id="call_2", name="read_file", invalid_input='{"pa')
    return {
        "plain": (ASKED, reply(TextContent(text="Words.")), Message.from_user("And b?")),
        "images": (Message.from_user("What is this?", [PIXEL]),),
        "tools": (ASKED, reply(said, call), Message.from_tools([result])),
        "silent_tools": (ASKED, reply(call), Message.from_tools([result])),
        "parallel_tools": (ASKED, reply(said, call, other), Message.from_tools([result, failed])),
        "result_with_image": (ASKED, reply(call), Message.from_tools([shown])),
        "failed_with_image": (
            ASKED,
            reply(call),
            Message.from_tools([shown.replace(is_error=True)]),
        ),
        "words_after_results": (
            ASKED,
            reply(call),
            Message(role="user", content=(result, TextContent(text="Go on."), PIXEL)),
        ),
        "reasoning": (
            ASKED,
            reply(_thought(model), said, call, model=model),
            Message.from_tools([result]),
        ),
        "reasoning_of_another": (
            ASKED,
            reply(ReasoningContent(text="Hm.", signature="x"), call, model="other-1"),
            Message.from_tools([result]),
        ),
        "broken_input": (ASKED, reply(call, broken), Message.from_tools([result, failed])),
        "odd_ids": (
            ASKED,
            reply(calling("functions.read:0 ü" * 9)),
            Message.from_tools([result.replace(tool_use_id="functions.read:0 ü" * 9)]),
        ),
        "nothing_said": (ASKED, reply(), Message.from_user(" ")),
    }


def asking(messages: tuple[Message, ...]) -> ModelRequest:
    return ModelRequest(
        system_prompt="Be brief.",
        messages=messages,
        tools=TOOLS,
        metadata={"task_id": "task-1", "mode": "code"},
    )
