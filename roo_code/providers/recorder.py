"""Writes recordings: the file, and the provider that fills it while another one answers."""

from __future__ import annotations

import fcntl
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from roo_code.errors import ConfigError
from roo_code.events import ApprovalDecided
from roo_code.json_text import JsonValue, to_json
from roo_code.messages import Message, ToolResult
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.recording import (
    Header,
    Line,
    Recording,
    ReplyLine,
    RequestLine,
    TimedChunk,
    ToolResultLine,
    place,
    read_recording,
)
from roo_code.providers.text_edits import edited_chunks, edited_value, hidden_keys
from roo_code.redaction import Redactor
from roo_code.stream import MessageStop, StreamChunk

_NOTHING = ModelRequest(system_prompt="", messages=())


class RecordingWriter:
    """Adds to a recording, or begins one. Each line is on its way to disk when a call returns."""

    def __init__(
        self,
        path: Path,
        provider: str,
        model: ModelInfo,
        *,
        task: str | None = None,
        settings: Mapping[str, JsonValue] | None = None,
        places: Mapping[str, str] | None = None,
        scrub: Redactor | None = None,
    ) -> None:
        self._path = path
        self._scrub = scrub or Redactor()
        self._indices: dict[str | None, int] = {}
        self._before: dict[str | None, ModelRequest] = {}
        self._replied: set[tuple[str | None, int]] = set()
        self._failure: ConfigError | None = None
        self._file = _opened(path)
        if path.stat().st_size > 0:
            try:
                self._go_on(task)
            except ConfigError:
                self._file.close()
                raise
        else:
            header = Header(
                created=datetime.now(UTC),
                provider=provider,
                model=model,
                task=task,
                settings=dict(settings or {}),
                places=dict(places or {}),
            )
            self._write(header)

    def _go_on(self, task: str | None) -> None:
        recording = read_recording(self._path)
        if task and recording.header.task and task != recording.header.task:
            raise ConfigError(
                f"The recording {str(self._path)!r} is that of another task.",
                hint="Record to another file.",
            )
        _end_with_whole_line(recording)
        for line in recording.lines:
            if isinstance(line, RequestLine):
                self._indices[line.task] = line.index
            elif isinstance(line, ReplyLine):
                self._replied.add((line.task, line.index))
        for known in self._indices:
            *_, (_, self._before[known]) = recording.requests(known)

    def has_reply(self, index: int, task: str | None = None) -> bool:
        return (task, index) in self._replied

    def request(self, index: int, request: ModelRequest, task: str | None = None) -> None:
        """Raises what kept an earlier line from being written."""
        before = self._before.get(task, _NOTHING)
        self._before[task], self._indices[task] = request, index
        same_prompt = before.system_prompt == request.system_prompt
        same_tools = tuple(before.tools) == tuple(request.tools)
        kept = _common(before.messages, request.messages)
        self._write(
            RequestLine(
                index=index,
                task=task,
                system_prompt=None if same_prompt else request.system_prompt,
                tools=None if same_tools else tuple(request.tools),
                kept=kept,
                messages=tuple(request.messages[kept:]),
            )
        )
        if self._failure is not None:
            raise self._failure

    def reply(self, index: int, chunks: Sequence[TimedChunk], task: str | None = None) -> None:
        self._replied.add((task, index))
        scrubbed = edited_chunks(chunks, hidden_keys(self._scrub))
        self._write(ReplyLine.of(index, task, scrubbed))

    def tool_result(
        self, result: ToolResult, task: str | None = None, decision: ApprovalDecided | None = None
    ) -> None:
        index = self._indices.get(task, 0)
        self._write(ToolResultLine(index=index, task=task, result=result, decision=decision))

    def close(self) -> None:
        """Raises what kept the last line from being written."""
        self._file.close()
        if self._failure is not None:
            raise self._failure

    def _write(self, line: Line) -> None:
        if self._failure is not None:
            return  # a gap would look like a recording that is whole
        data = to_json(edited_value(line.to_dict(), self._scrub)) + b"\n"
        try:
            while data:  # a full disk takes part of a line
                data = data[self._file.write(data) or 0 :]
        except OSError as error:
            self._failure = _unusable(self._path, "cannot be written", error)


def _opened(path: Path) -> FileIO:
    try:
        path.touch(mode=0o600)  # it holds the user's files and words
        file = FileIO(path, "a")
    except OSError as error:
        raise _unusable(path, "cannot be written", error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise _unusable(path, "is being written by another process", error) from error
    except OSError:
        pass  # a file system without locks
    return file


def check_target(path: Path, *, goes_on: bool) -> None:
    """Say beforehand what would keep a run from being recorded there."""
    is_new = not path.exists()
    _opened(path).close()
    if is_new:
        path.unlink()  # a run that does not begin leaves nothing
    if is_new or path.stat().st_size == 0:
        return
    if not goes_on:
        raise ConfigError(
            f"The file {str(path)!r} exists already.",
            hint="Record a new task to a new file; the recording of a task can be continued with "
            "the task: --session-id ID --record FILE.",
        )
    read_recording(path)


def _unusable(path: Path, what: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"The recording {str(path)!r} {what}: {error.strerror}.",
        hint="Give the path of a file that can be written.",
    )


def _end_with_whole_line(recording: Recording) -> None:
    with recording.path.open("r+b") as file:
        file.truncate(recording.whole_bytes)
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _common(before: Sequence[Message], now: Sequence[Message]) -> int:
    kept = 0
    for old, new in zip(before, now, strict=False):
        if old is not new and old != new:
            break
        kept += 1
    return kept


class RecordingProvider(BaseProvider):
    """Passes on what another provider says and writes it down once it is whole."""

    def __init__(
        self, provider: BaseProvider, writer: RecordingWriter, task: str | None = None
    ) -> None:
        self._provider = provider
        self._writer = writer
        self._task = task

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        index = place(request)
        if index < 0:  # such as a summary: a replay has no use for it
            async with aclosing(self._provider.stream(request)) as stream:
                async for chunk in stream:
                    yield chunk
            return
        self._writer.request(index, request, self._task)
        began = time.monotonic()
        chunks: list[TimedChunk] = []
        async with aclosing(self._provider.stream(request)) as stream:
            async for chunk in stream:
                chunks.append(TimedChunk(round((time.monotonic() - began) * 1000), chunk))
                if isinstance(chunk, MessageStop):  # before it is passed on: nobody reads further
                    self._writer.reply(index, chunks, self._task)
                yield chunk

    def model_info(self) -> ModelInfo:
        return self._provider.model_info()

    def count_tokens(self, text: str) -> int:
        return self._provider.count_tokens(text)

    async def aclose(self) -> None:
        await self._provider.aclose()
