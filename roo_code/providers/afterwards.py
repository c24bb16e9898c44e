"""Recordings of what nobody recorded: requests and replies as a history or a log tells them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator

from msgspec.structs import replace

from roo_code.events import (
    ApprovalDecided,
    Event,
    MessageAdded,
    SpecChanged,
    TaskCreated,
    TaskSpec,
    ToolFinished,
)
from roo_code.history import History
from roo_code.json_text import to_json
from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.recorder import RecordingWriter
from roo_code.providers.recording import TimedChunk
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)


class SilentProvider(BaseProvider):
    """Stands where a provider must stand and is asked nothing."""

    def __init__(self, info: ModelInfo) -> None:
        self._info = info

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        raise AssertionError("There is nobody to ask.")

    def model_info(self) -> ModelInfo:
        return self._info


def record_log(
    writer: RecordingWriter,
    events: Iterable[Event],
    asked: Callable[[TaskSpec], ModelRequest],
    task: str | None = None,
) -> int:
    """Write the task's log as if it had been recorded; how many replies there were.

    `asked` gives what the log does not hold of a request: its system prompt and its tools.
    """
    history = History()
    decisions: dict[str, ApprovalDecided] = {}
    request = ModelRequest(system_prompt="", messages=())
    replies = 0
    for event in events:
        history.apply(event)
        if isinstance(event, TaskCreated | SpecChanged):
            request = asked(event.spec)
        elif isinstance(event, ApprovalDecided):
            decisions[event.tool_use_id] = event
        elif isinstance(event, ToolFinished):
            decision = decisions.get(event.result.tool_use_id)
            writer.tool_result(event.result, task, decision)
        elif isinstance(event, MessageAdded) and event.message.role == "assistant":
            before = tuple(history.messages[:-1])
            writer.request(replies, replace(request, messages=before), task)
            writer.reply(replies, untimed(event.message), task)
            replies += 1
    return replies


def record_missing(writer: RecordingWriter, request: ModelRequest, task: str | None = None) -> None:
    """Write what led to a request, as far as it is not recorded: the task began without us."""
    index = 0
    for number, message in enumerate(request.messages):
        if message.role == "assistant":
            if not writer.has_reply(index, task):
                before = tuple(request.messages[:number])
                writer.request(index, replace(request, messages=before), task)
                writer.reply(index, untimed(message), task)
                for block in request.messages[number + 1].content:  # a request ends with a user
                    if isinstance(block, ToolResult):
                        writer.tool_result(block, task)
            index += 1


def untimed(message: Message) -> list[TimedChunk]:
    """The reply as a service would send it, all at once."""
    return [TimedChunk(0, chunk) for chunk in _chunks(message)]


def _chunks(message: Message) -> Iterator[StreamChunk]:
    usage = message.usage
    counts = usage.counts if usage else {}
    yield MessageStart(counts, message.model)
    for index, block in enumerate(message.content):
        if isinstance(block, TextContent | ReasoningContent):
            yield BlockStart(index, block.replace(text=""))
            kind = "text" if isinstance(block, TextContent) else "reasoning"
            if block.text:
                yield BlockDelta(index, kind, block.text)
            yield BlockStop(index)
        elif isinstance(block, ToolUseContent):
            yield BlockStart(index, ToolUseContent(id=block.id, name=block.name))
            yield BlockDelta(index, "json", block.invalid_input or to_json(block.input).decode())
            yield BlockStop(index)
    yield MessageDelta(message.stop_reason, {}, usage.cost if usage else None)
    yield MessageStop()
