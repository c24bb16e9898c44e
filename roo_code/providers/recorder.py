"""Writes recordings: the file, and the provider that fills it while another one answers."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

from roo_code.messages import Message, ToolResult
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.recording import (
    Header,
    Line,
    ReplyLine,
    RequestLine,
    TimedChunk,
    ToolResultLine,
    place,
    read_recording,
)
from roo_code.stream import MessageStop, StreamChunk


class RecordingWriter:
    """Adds to a recording, or begins one. Each line is on its way to disk when a call returns."""

    def __init__(self, path: Path, provider: str, model: ModelInfo) -> None:
        self._index = 0
        self._before = ModelRequest(system_prompt="", messages=())
        self._begun = path.exists() and path.stat().st_size > 0
        if self._begun:
            self._go_on(path)
        else:
            path.touch(mode=0o600)  # it holds the user's files and words
        self._file = path.open("ab", buffering=0)
        if not self._begun:
            self._write(Header(created=datetime.now(UTC), provider=provider, model=model))

    def _go_on(self, path: Path) -> None:
        recording = read_recording(path)
        with path.open("r+b") as file:
            file.truncate(recording.whole_bytes)
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        for self._index, self._before in recording.requests():
            pass

    def request(self, index: int, request: ModelRequest) -> None:
        before, self._before, self._index = self._before, request, index
        same_prompt = self._begun and before.system_prompt == request.system_prompt
        same_tools = self._begun and tuple(before.tools) == tuple(request.tools)
        kept = _common(before.messages, request.messages)
        self._begun = True
        self._write(
            RequestLine(
                index=index,
                system_prompt=None if same_prompt else request.system_prompt,
                tools=None if same_tools else tuple(request.tools),
                kept=kept,
                messages=tuple(request.messages[kept:]),
            )
        )

    def reply(self, index: int, chunks: Sequence[TimedChunk]) -> None:
        self._write(ReplyLine(index=index, chunks=tuple(chunks)))

    def tool_result(self, result: ToolResult) -> None:
        self._write(ToolResultLine(index=self._index, result=result))

    def close(self) -> None:
        self._file.close()

    def _write(self, line: Line) -> None:
        self._file.write(line.model_dump_json().encode() + b"\n")


def _common(before: Sequence[Message], now: Sequence[Message]) -> int:
    kept = 0
    for old, new in zip(before, now, strict=False):
        if old is not new and old != new:
            break
        kept += 1
    return kept


class RecordingProvider(BaseProvider):
    """Passes on what another provider says and writes it down once it is whole."""

    def __init__(self, provider: BaseProvider, writer: RecordingWriter) -> None:
        self._provider = provider
        self._writer = writer

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        index = place(request)
        self._writer.request(index, request)
        began = time.monotonic()
        chunks: list[TimedChunk] = []
        async with aclosing(self._provider.stream(request)) as stream:
            async for chunk in stream:
                chunks.append(TimedChunk(round((time.monotonic() - began) * 1000), chunk))
                if isinstance(chunk, MessageStop):  # before it is passed on: nobody reads further
                    self._writer.reply(index, chunks)
                yield chunk

    def model_info(self) -> ModelInfo:
        return self._provider.model_info()

    def count_tokens(self, text: str) -> int:
        return self._provider.count_tokens(text)

    async def aclose(self) -> None:
        await self._provider.aclose()
