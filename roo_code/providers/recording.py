"""Recordings: what a model was asked and what it said, when, as one file of JSON lines.

The first line is the header. Each model call adds a `request` and, once the reply is whole, a
`reply`; each tool that ran adds a `tool_result`. Lines are only ever added, so a recording that
was cut off is whole up to its last full line. Fields may be added in time, with defaults; readers
ignore those they do not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from msgspec import convert, field
from msgspec.json import Decoder

from roo_code.errors import ConfigError
from roo_code.events import ApprovalDecided
from roo_code.json_text import JsonValue, from_json
from roo_code.messages import Message, ToolDefinition, ToolResult
from roo_code.providers.base import PLACE, ModelInfo, ModelRequest
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)
from roo_code.values import Value

VERSION = 1
_CHUNKS = {
    "message_start": MessageStart,
    "content_block_start": BlockStart,
    "content_block_delta": BlockDelta,
    "content_block_stop": BlockStop,
    "message_delta": MessageDelta,
    "message_stop": MessageStop,
}
"""Not `stream_retry`: a recording holds the attempt that succeeded."""


class TimedChunk(NamedTuple):
    milliseconds: int
    """Since the request began."""
    chunk: StreamChunk


def _read_chunk(fields: Mapping[str, Any]) -> TimedChunk:
    name, milliseconds = fields.get("type"), fields.get("ms")
    kind = _CHUNKS.get(str(name))
    if kind is None or not isinstance(milliseconds, int):
        raise ValueError(f"a chunk of type {name!r} at {milliseconds!r} milliseconds is unknown")
    given = [fields.get(key, kind._field_defaults.get(key)) for key in kind._fields]
    return TimedChunk(milliseconds, convert(given, kind))


def _write_chunk(timed: TimedChunk) -> dict[str, Any]:
    fields = timed.chunk._asdict()
    return {"ms": timed.milliseconds, "type": timed.chunk.type, **fields}


class Header(Value, tag="recording"):
    version: Literal[1] = VERSION
    created: datetime
    provider: str
    model: ModelInfo
    task: str | None = None
    """The id of the task."""
    settings: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Those of the provider, without secrets."""
    places: dict[str, str] = field(default_factory=dict[str, str])
    """Where it was recorded: folders by the names that `places.py` gives them."""


class RequestLine(Value, tag="request"):
    index: int
    """The `place` of the call; one that was made again has the same, and its last reply counts."""
    task: str | None = None
    """Of which task: None is the recorded one itself, others are its subtasks."""
    system_prompt: str | None = None
    """None: that of the request before, of the same task; likewise `tools`."""
    tools: tuple[ToolDefinition, ...] | None = None
    kept: int = 0
    """So many messages of the request before stand unchanged in front of `messages`."""
    messages: tuple[Message, ...] = ()


class ReplyLine(Value, tag="reply"):
    index: int
    task: str | None = None
    written: tuple[dict[str, Any], ...] = field(name="chunks")
    """The chunks as the file has them."""

    @classmethod
    def of(cls, index: int, task: str | None, chunks: Iterable[TimedChunk]) -> ReplyLine:
        return cls(index=index, task=task, written=tuple(map(_write_chunk, chunks)))

    @property
    def chunks(self) -> tuple[TimedChunk, ...]:
        return tuple(map(_read_chunk, self.written))


class ToolResultLine(Value, tag="tool_result"):
    index: int
    """Of the reply that asked for it."""
    task: str | None = None
    result: ToolResult
    decision: ApprovalDecided | None = None
    """Whether the call might run, where that had to be decided."""


Line: TypeAlias = Header | RequestLine | ReplyLine | ToolResultLine


@cache
def _decoder() -> Decoder[Line]:
    return Decoder(Line)


def _read_line(text: bytes) -> Line:
    line = _decoder().decode(text)
    if isinstance(line, ReplyLine):
        _ = line.chunks  # ValueError if one is not what it should be
    return line


def place(request: ModelRequest) -> int:
    """Which model call of its task a request is.

    The history alone tells, so a task that goes on in another process finds its place again; one
    that was condensed says what it was.
    """
    if (told := request.metadata.get(PLACE)) is not None:
        return int(told)
    return sum(message.role == "assistant" for message in request.messages)


@dataclass(frozen=True)
class Recording:
    path: Path
    header: Header
    lines: tuple[Line, ...]
    """All but the header."""
    whole_bytes: int
    """How much of the file is whole lines."""

    @property
    def replies(self) -> Mapping[int, ReplyLine]:
        lines = (line for line in self.of_task(None) if isinstance(line, ReplyLine))
        return {line.index: line for line in lines}

    @property
    def results(self) -> Mapping[str, ToolResult]:
        """By the id of the call."""
        lines = (line for line in self.of_task(None) if isinstance(line, ToolResultLine))
        return {line.result.tool_use_id: line.result for line in lines}

    def requests(self, task: str | None = None) -> Iterator[tuple[int, ModelRequest]]:
        """Every request as it was sent, in order."""
        request = ModelRequest(system_prompt="", messages=())
        for line in self.of_task(task):
            if isinstance(line, RequestLine):
                request = _whole(line, request)
                yield line.index, request

    def of_task(self, task: str | None) -> Iterator[RequestLine | ReplyLine | ToolResultLine]:
        for line in self.lines:
            if not isinstance(line, Header) and line.task == task:
                yield line

    @property
    def subtasks(self) -> tuple[str, ...]:
        """In the order in which they first asked."""
        tasks = (line.task for line in self.lines if isinstance(line, RequestLine))
        return tuple(dict.fromkeys(task for task in tasks if task is not None))


def _whole(line: RequestLine, before: ModelRequest) -> ModelRequest:
    return ModelRequest(
        system_prompt=before.system_prompt if line.system_prompt is None else line.system_prompt,
        messages=(*before.messages[: line.kept], *line.messages),
        tools=before.tools if line.tools is None else line.tools,
    )


def read_recording(path: Path) -> Recording:
    """The whole recording, or a ConfigError that names the line that is wrong."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The recording {str(path)!r} cannot be read: {error.strerror}.",
            hint="Give the path of a file made with --record.",
        ) from error
    texts = data.split(b"\n")
    unfinished = texts.pop()
    lines = [_parse(text, number, path) for number, text in enumerate(texts, 1)]
    if unfinished and (last := _parse_unfinished(unfinished)):
        lines.append(last)
        unfinished = b""
    if not lines or not isinstance(lines[0], Header):
        raise _not_a_recording(data, path)
    return Recording(path, lines[0], tuple(lines[1:]), len(data) - len(unfinished))


def _parse(text: bytes, number: int, path: Path) -> Line:
    try:
        line = _read_line(text)
    except ValueError as error:
        if number == 1:
            raise _not_a_recording(text, path) from error
        raise _damaged(path, number, str(error)) from error
    if isinstance(line, Header) and number > 1:
        raise _damaged(path, number, "a second header")
    return line


def _parse_unfinished(text: bytes) -> Line | None:
    """The last line where its newline is missing: whole, or a write that was cut off."""
    try:
        return _read_line(text)
    except ValueError:
        return None


def _not_a_recording(first_line: bytes, path: Path) -> ConfigError:
    if _version(first_line) not in (None, VERSION):
        return ConfigError(
            f"The recording {str(path)!r} is of version {_version(first_line)}; this program "
            f"reads version {VERSION}.",
            hint="Upgrade Roo Code, or record the task again.",
        )
    return ConfigError(
        f"{str(path)!r} is not a recording: its first line is not a header.",
        hint="Give the path of a file made with --record.",
    )


def _version(first_line: bytes) -> object:
    try:
        header = from_json(first_line)
    except ValueError:
        return None
    if not isinstance(header, dict):
        return None
    header = cast("dict[str, object]", header)
    return header.get("version") if header.get("type") == "recording" else None


def _damaged(path: Path, number: int, reason: str) -> ConfigError:
    return ConfigError(
        f"The recording {str(path)!r} is damaged in line {number}: {reason}.",
        hint=f"Record the task again, or cut the file off before line {number}.",
    )
