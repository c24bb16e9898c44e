"""A client that writes what it likes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any


class RawClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, path: Path | str, limit: int = 1 << 26) -> RawClient:
        return cls(*await asyncio.open_unix_connection(str(path), limit=limit))

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    async def next(self) -> Any:
        """The content of the next frame."""
        async with asyncio.timeout(30):
            frame = await self.reader.readuntil(b"\x0c")
        return json.loads(frame[:-1])["data"]

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


def command(name: str, **fields: Any) -> bytes:
    data = {"commandName": name, **fields}
    message = {"type": "TaskCommand", "origin": "client", "clientId": "any", "data": data}
    return json.dumps({"type": "message", "data": message}).encode() + b"\x0c"
