"""Tool calls in text, for models without native ones: the same chunks come out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from msgspec.structs import replace

from roo_code.json_text import JsonValue, to_json
from roo_code.messages import (
    ContentBlock,
    Message,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.protocols.fragments import Fragments
from roo_code.providers.text_tool_calls import Piece
from roo_code.providers.text_tool_parser import TextToolParser
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStop,
    StreamChunk,
)

_HOW = """\
# Tools

To use a tool, write its name as a tag, and in it each parameter as a tag, just so:

<tool_name>
<parameter>value</parameter>
</tool_name>

A text stands as it is, in as many lines as it has, and nothing in it is escaped; a list, an \
object, a number or a switch is written as JSON. Several calls may follow one another. Stop after \
them: what they came to is in the next message, under "[tool_name] Result:", and never for you to \
write.
"""
_NATURAL_STOPS = (None, "end_turn", "stop_sequence")


class TextToolsProvider(BaseProvider):
    """Tells the model of the tools in the prompt, and reads its calls out of the text."""

    def __init__(self, provider: BaseProvider) -> None:
        self._provider = provider
        self._names: dict[str, str] = {}
        self._described: tuple[Sequence[ToolDefinition], str] = ((), "")
        self._plain = Fragments(self._as_text)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        reply = _Reply(TextToolParser(request.tools), len(self._known_calls(request.messages)))
        asked = replace(
            request,
            system_prompt=self._system_prompt(request),
            messages=tuple(self._plain.of(request.messages, self.model_info())),
            tools=(),
        )
        async with aclosing(self._provider.stream(asked)) as chunks:
            async for chunk in chunks:
                for shown in reply.read(chunk):
                    yield shown

    def model_info(self) -> ModelInfo:
        return self._provider.model_info()

    def count_tokens(self, text: str) -> int:
        return self._provider.count_tokens(text)

    async def aclose(self) -> None:
        await self._provider.aclose()

    def _known_calls(self, messages: Iterable[Message]) -> Mapping[str, str]:
        self._names = {call.id: call.name for m in messages for call in m.tool_uses}
        return self._names

    def _system_prompt(self, request: ModelRequest) -> str:
        if not request.tools:
            return request.system_prompt
        if self._described[0] != request.tools:
            self._described = (request.tools, describe(request.tools))
        return f"{request.system_prompt}\n\n{self._described[1]}".lstrip()

    def _as_text(self, message: Message, info: ModelInfo) -> Message:
        if not any(isinstance(block, ToolUseContent | ToolResult) for block in message.content):
            return message
        return message.replace(content=tuple(self._plain_blocks(message.content)))

    def _plain_blocks(self, blocks: Iterable[ContentBlock]) -> Iterator[ContentBlock]:
        for block in blocks:
            if isinstance(block, ToolUseContent):
                yield TextContent(text=f"\n\n{call_text(block)}")
            elif isinstance(block, ToolResult):
                said = "Error" if block.is_error else "Result"
                name = self._names.get(block.tool_use_id, "tool")
                yield TextContent(text=f"[{name}] {said}:\n{block.content}\n\n")
                yield from block.images
            else:
                yield block


class _Reply:
    """Chunks of a reply in, the same with calls in place of their text out."""

    def __init__(self, parser: TextToolParser, calls_before: int) -> None:
        self._parser = parser
        self._calls_before = calls_before
        self._count = 0
        self._indices: dict[int, int] = {}
        self._texts: set[int] = set()
        self._open: int | None = None
        self._call = 0
        self._space = ""
        self._told_reason = False

    def read(self, chunk: StreamChunk) -> Iterator[StreamChunk]:
        if isinstance(chunk, BlockStart):
            yield from self._started(chunk)
        elif isinstance(chunk, BlockDelta):
            if chunk.index in self._texts:
                yield from self._shown(self._parser.feed(chunk.text))
            else:
                yield chunk._replace(index=self._indices[chunk.index])
        elif isinstance(chunk, BlockStop):
            if chunk.index not in self._texts:
                yield BlockStop(self._indices[chunk.index])
        elif isinstance(chunk, MessageDelta) and chunk.stop_reason is not None:
            yield from self._finished()
            yield chunk._replace(stop_reason=self._reason(chunk.stop_reason))
        elif isinstance(chunk, MessageStop):
            yield from self._finished()
            if not self._told_reason:
                yield MessageDelta(self._reason(None))
            yield chunk
        else:
            yield chunk

    def _started(self, start: BlockStart) -> Iterator[StreamChunk]:
        if isinstance(start.block, TextContent):
            self._texts.add(start.index)
            yield from self._shown(self._parser.feed(start.block.text))
            return
        yield from self._closed()
        self._texts.discard(start.index)
        self._indices[start.index] = self._next_index()
        yield start._replace(index=self._indices[start.index])

    def _shown(self, pieces: Iterable[Piece]) -> Iterator[StreamChunk]:
        for kind, text in pieces:
            if kind == "text":
                yield from self._text(text)
            elif kind == "begin":
                yield from self._closed()
                self._call = self._next_index()
                id = f"call_{self._calls_before + self._parser.calls}"
                yield BlockStart(self._call, ToolUseContent(id=id, name=text))
            elif kind == "json":
                yield BlockDelta(self._call, "json", text)
            else:
                yield BlockStop(self._call)

    def _text(self, text: str) -> Iterator[StreamChunk]:
        """Space alone between calls is no text."""
        if self._open is None:
            text, self._space = self._space + text, ""
            if not text.strip():
                self._space = text
                return
            self._open = self._next_index()
            yield BlockStart(self._open, TextContent(text=""))
        yield BlockDelta(self._open, "text", text)

    def _closed(self) -> Iterator[StreamChunk]:
        self._space = ""
        if self._open is not None:
            yield BlockStop(self._open)
            self._open = None

    def _finished(self) -> Iterator[StreamChunk]:
        yield from self._shown(self._parser.finish())
        yield from self._closed()

    def _reason(self, told: str | None) -> str | None:
        self._told_reason = True
        return "tool_use" if self._parser.calls and told in _NATURAL_STOPS else told

    def _next_index(self) -> int:
        self._count += 1
        return self._count - 1


def describe(tools: Iterable[ToolDefinition]) -> str:
    """The tools, for the system prompt."""
    return "\n".join([_HOW, *map(_described, tools)])


def _described(tool: ToolDefinition) -> str:
    properties: Mapping[str, Any] = tool.input_schema.get("properties") or {}
    required: Sequence[str] = tool.input_schema.get("required") or ()
    lines = [f"## {tool.name}", tool.description.strip()]
    for name, schema in properties.items():
        told = dict(cast("Mapping[str, Any]", schema)) if isinstance(schema, Mapping) else {}
        about = str(told.pop("description", "")).strip()
        told.pop("title", None)
        need = "required" if name in required else "optional"
        kind = "text" if told == {"type": "string"} else to_json(told).decode()
        lines.append(f"- {name} ({need}, {kind}){': ' + about if about else ''}")
    if definitions := tool.input_schema.get("$defs"):
        lines.append(f"$defs: {to_json(definitions).decode()}")
    return "\n".join([*lines, ""])


def call_text(call: ToolUseContent) -> str:
    """A call as the model is to write it."""
    if call.invalid_input is not None:
        return f"<{call.name}>\n{call.invalid_input}\n</{call.name}>"
    lines = [f"<{name}>{_shown_value(value)}</{name}>" for name, value in call.input.items()]
    return "\n".join([f"<{call.name}>", *lines, f"</{call.name}>"])


def _shown_value(value: JsonValue) -> str:
    if not isinstance(value, str):
        return to_json(value).decode()
    needs_lines = "\n" in value or "\r" in value
    return f"\n{value}\n" if needs_lines else value
