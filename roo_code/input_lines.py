"""Lines of an input stream, for a loop that must not wait for it."""

from __future__ import annotations

import asyncio
import threading
from typing import BinaryIO


class InputLines:
    """What arrives on a stream of any kind, by a thread: not every kind can be waited for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    async def next(self) -> bytes | None:
        """The next line that is not blank; None at the end."""
        while True:
            line = await self._queue.get()
            if line is None or line.strip():
                return line

    def _read(self, stream: BinaryIO) -> None:
        try:
            for line in iter(stream.readline, b""):
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
            self._loop.call_soon_threadsafe(self._queue.put_nowait, None)
        except (OSError, ValueError, RuntimeError):  # it was closed, or nobody reads any more
            return
