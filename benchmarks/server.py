"""The scripted model endpoint: no think time, and the exact times at which it was busy.

Addresses are `/RUN/SCRIPT/TURNS/v1/...`; `GET /RUN/marks` tells what it saw of that run.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, cast

from benchmarks.script import SCRIPTS
from benchmarks.wire import encode


@dataclass(frozen=True)
class Mark:
    """One request, in seconds of the clock that all processes of the machine share."""

    arrived: float
    """The first byte is here."""
    complete: float
    """The last byte is here: the model's time begins."""
    replied: float
    """The reply is handed to the system: the model's time ends."""
    size: int
    """Bytes of the body."""


class Connection(asyncio.Protocol):
    def __init__(self, runs: defaultdict[str, list[Mark]]) -> None:
        self._runs = runs
        self._received = bytearray()
        self._arrived = 0.0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if not self._received:
            self._arrived = time.monotonic()
        self._received += data
        while self._answer_next():
            pass

    def _answer_next(self) -> bool:
        head_end = self._received.find(b"\r\n\r\n")
        if head_end < 0:
            return False
        head = self._received[:head_end].decode("latin-1")
        size = _content_length(head)
        if len(self._received) < head_end + 4 + size:
            return False
        complete = time.monotonic()
        body = bytes(self._received[head_end + 4 : head_end + 4 + size])
        del self._received[: head_end + 4 + size]
        method, path, _ = head.split(" ", 2)
        self._answer(method, path, body, complete)
        return bool(self._received)

    def _answer(self, method: str, path: str, body: bytes, complete: float) -> None:
        run, _, rest = path.removeprefix("/").partition("/")
        if method == "GET" and rest == "marks":
            marks = [asdict(mark) for mark in self._runs[run]]
            self._write(200, "application/json", json.dumps(marks).encode())
            return
        reply = _reply(rest, body, len(self._runs[run]) + 1) if method == "POST" else None
        if reply is None:
            self._write(404, "application/json", b'{"error": {"message": "not scripted"}}')
            return
        self._write(200, *reply)
        self._runs[run].append(Mark(self._arrived, complete, time.monotonic(), len(body)))

    def _write(self, status: int, content_type: str, body: bytes) -> None:
        head = (
            f"HTTP/1.1 {status} {'OK' if status == 200 else 'Not Found'}\r\n"
            f"content-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        if self._transport is not None:
            self._transport.write(head.encode() + body)


def _content_length(head: str) -> int:
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0


def _reply(rest: str, body: bytes, turn: int) -> tuple[str, bytes] | None:
    script, _, rest = rest.partition("/")
    turns, _, path = rest.partition("/")
    if script not in SCRIPTS or not turns.isdigit():
        return None
    request: dict[str, Any] = json.loads(body)
    return encode(path, request, SCRIPTS[script].reply(turn, int(turns)), len(body))


async def serve() -> None:
    """Serve until the standard input closes; the first line of output is the port."""
    runs: defaultdict[str, list[Mark]] = defaultdict(list)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(runs), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
