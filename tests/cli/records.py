"""Records made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from roo_code.events import Event, EventRecord, MessageAdded
from roo_code.messages import (
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
    Usage,
)

TASK = "11111111-2222-4333-8444-555555555555"
STARTED = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)


def records(*events: Event, task_id: str = TASK) -> list[EventRecord]:
    """As a log numbers them, a second apart."""
    made: list[EventRecord] = []
    seq = 0
    for place, event in enumerate(events):
        seq += event.durable
        at = STARTED + timedelta(seconds=place)
        made.append(EventRecord(task_id=task_id, seq=seq, at=at, event=event))
    return made


def call(name: str, id: str = "call_1", **input: str) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=dict(input))


def reply(
    text: str = "",
    *calls: ToolUseContent,
    thinking: str = "",
    usage: Usage | None = None,
) -> MessageAdded:
    content = [
        *([ReasoningContent(text=thinking)] if thinking else []),
        *([TextContent(text=text)] if text else []),
        *calls,
    ]
    return MessageAdded(message=Message(role="assistant", content=tuple(content), usage=usage))


def result(content: str, id: str = "call_1", *, is_error: bool = False) -> ToolResult:
    return ToolResult(tool_use_id=id, content=content, is_error=is_error)


def joined(pieces: Iterable[Iterable[str]]) -> str:
    return "".join(piece for some in pieces for piece in some)
