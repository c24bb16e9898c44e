"""A model that streams: addresses are `/DELTAS/A_CHUNK/PAUSE/…`, the rest is the format's own.

So many events are one chunk of HTTP. With a pause, in milliseconds, each chunk is a write to the
socket, and the text of a delta is the time at which it was sent; without one, a write has several.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, Protocol

from benchmarks.places import ROOT, clean_environment
from roo_code.messages import Usage
from roo_code.testing.anthropic_service import AnthropicService
from roo_code.testing.bedrock_service import BedrockService
from roo_code.testing.gemini_service import GeminiService
from roo_code.testing.model_replies import ScriptedReply
from roo_code.testing.ollama_service import OllamaService
from roo_code.testing.openai_service import OpenAiService
from roo_code.testing.responses_service import ResponsesService

_SAMPLE = 'Here is the fix:\n\n```python\ndef read(path: str) -> str:\n    return "ü"\n```\nIt '
_PIECE = 4
"""Characters in a delta: about what a token has."""
_STAMP = b"0" * 17
_EVENTS_A_WRITE = 16
_LAST_CHUNK = b"0\r\n\r\n"


class _Service(Protocol):
    path: str
    media_type: str

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]: ...


_SERVICES: tuple[_Service, ...] = (
    AnthropicService(),
    OpenAiService(),
    ResponsesService(),
    GeminiService(),
    BedrockService(),
    OllamaService(),
)


class Pace(NamedTuple):
    deltas: int
    a_chunk: int = 1
    pause: int = 0
    """In milliseconds."""

    def address(self, port: int) -> str:
        return f"http://127.0.0.1:{port}/{self.deltas}/{self.a_chunk}/{self.pause}"


@contextmanager
def stream_server() -> Generator[int]:
    """Its port; it runs in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.stream_server"],
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(timeout=10)
        process.stdout.close()


@cache
def _writes(service: _Service, pace: Pace) -> list[bytes]:
    size = len(_STAMP) if pace.pause else _PIECE
    sample = _STAMP.decode() if pace.pause else _SAMPLE
    text = (sample * (pace.deltas * size // len(sample) + 1))[: pace.deltas * size]
    usage = Usage(input_tokens=100, output_tokens=pace.deltas)
    events = service.events(
        ScriptedReply(text=text, chunk_size=size, usage=usage),
        {"model": "bench", "stream_options": {"include_usage": True}},
    )
    chunks = [b"%x\r\n%b\r\n" % (len(data), data) for data in _joined([*events], pace.a_chunk)]
    return chunks if pace.pause else _joined(chunks, max(1, _EVENTS_A_WRITE // pace.a_chunk))


def _joined(parts: list[bytes], number: int) -> list[bytes]:
    """So many of them together."""
    return [b"".join(parts[n : n + number]) for n in range(0, len(parts), number)]


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while head := await _request_head(reader):
        _, deltas, a_chunk, pause, path = head.split(" ")[1].partition("?")[0].split("/", 4)
        pace = Pace(int(deltas), int(a_chunk), int(pause))
        service = next((known for known in _SERVICES if f"/{path}".endswith(known.path)), None)
        if service is None:  # some libraries ask for more than a reply
            writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
            continue
        writes = _writes(service, pace)
        writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {service.media_type}\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        due = time.monotonic()
        for data in writes:
            if pace.pause:
                due += pace.pause / 1000
                await asyncio.sleep(due - time.monotonic())
                data = data.replace(_STAMP, b"%017.6f" % time.monotonic())
            writer.write(data)
            await writer.drain()
        writer.write(_LAST_CHUNK)
    writer.close()


async def _request_head(reader: asyncio.StreamReader) -> str:
    """Empty where the client has gone; the body is read and forgotten."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
        await reader.readexactly(int(fields.get("content-length", 0)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return ""
    return head


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
