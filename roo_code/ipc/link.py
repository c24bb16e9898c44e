"""One connection: frames in, checked; frames out, without ever waiting for a slow reader."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from typing import Protocol

from roo_code.ipc.frames import FrameReader, FrameTooLong
from roo_code.ipc.wire import IpcMessage, WireError, read_message

SLOW = 256 * 1024
"""Unsent bytes from which on a reader is slow: what will be said again in full is left out."""
MOST_UNSENT = 64 * 1024 * 1024
"""Unsent bytes from which on a reader is given up."""
_MOST_COMPLAINTS = 20
_log = logging.getLogger(__name__)


class Pipe(Protocol):
    """Where the bytes go: `SocketPipe`, or one of `roo_code.testing.ipc`."""

    async def read(self) -> bytes:
        """Empty at the end."""
        ...

    def write(self, data: bytes) -> None: ...

    @property
    def unsent(self) -> int: ...

    async def drained(self) -> None:
        """Until nothing is unsent."""
        ...

    def close(self) -> None:
        """At once; what is unsent is lost."""
        ...


class Link:
    def __init__(self, pipe: Pipe, name: str, *, most_unsent: int = MOST_UNSENT) -> None:
        self._pipe = pipe
        self._name = name
        self._most_unsent = most_unsent
        self._complaints = 0
        self.is_closed = False

    async def messages(self) -> AsyncGenerator[IpcMessage]:
        """What is said, until the other side hangs up. What is wrong is logged and left out."""
        reader = FrameReader()
        while not self.is_closed and (data := await self._pipe.read()):
            for frame in reader.feed(data):
                if (message := self._checked(frame)) is not None:
                    yield message
        self.close()

    def _checked(self, frame: bytes | FrameTooLong) -> IpcMessage | None:
        if isinstance(frame, FrameTooLong):
            self.complain(str(frame))
            return None
        try:
            return read_message(frame)
        except WireError as error:
            self.complain(str(error))
            return None

    def complain(self, problem: str) -> None:
        """Say what is wrong in the log; of very many, how many in the end."""
        self._complaints += 1
        if self._complaints <= _MOST_COMPLAINTS:
            _log.warning("invalid message from %s, not acted on: %s", self._name, problem)

    def send(self, frame: bytes, *, again_later: bool = False) -> None:
        """`again_later` where a later frame says all of this again."""
        if self.is_closed or (again_later and self._pipe.unsent > SLOW):
            return
        if self._pipe.unsent > self._most_unsent:
            _log.warning("%s does not read what it is sent, and is disconnected", self._name)
            self.close()
            return
        self._pipe.write(frame)

    async def drained(self) -> None:
        """Until the other side has taken all that was sent."""
        await self._pipe.drained()

    def close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        if (more := self._complaints - _MOST_COMPLAINTS) > 0:
            _log.warning("%d more invalid messages came from %s", more, self._name)
        self._pipe.close()
