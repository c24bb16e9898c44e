"""Which of the requests under way on a connection a server means when it asks something."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from roo_code.mcp_access import McpUser


class CallUnderWay:
    """One request to the server, with the user to be asked and the time that it may take."""

    def __init__(self, user: McpUser, limit: asyncio.Timeout) -> None:
        self.user = user
        self.is_open = True
        self._limit = limit
        self._left = 0.0
        self._questions = 0

    @contextmanager
    def asking(self) -> Generator[None]:
        """While the user thinks, the server's time does not run."""
        now = asyncio.get_running_loop().time
        self._questions += 1
        if (when := self._limit.when()) is not None:
            self._left = max(when - now(), 0.0)
            self._reschedule(None)
        try:
            yield
        finally:
            self._questions -= 1
            if self._questions == 0:
                self._reschedule(now() + self._left)

    def _reschedule(self, when: float | None) -> None:
        if self.is_open and not self._limit.expired():
            self._limit.reschedule(when)


_sent_from: ContextVar[CallUnderWay | None] = ContextVar("sent_from", default=None)
"""What comes on the stream that answers a request is handled in the context it was sent from;
over standard input and output there is one stream for all."""


class CallsUnderWay:
    """Those of one connection. `otherwise` is the user of calls that bring none."""

    def __init__(self, otherwise: McpUser) -> None:
        self.otherwise = otherwise
        self._open: list[CallUnderWay] = []

    @asynccontextmanager
    async def begun(self, seconds: float, user: McpUser | None) -> AsyncGenerator[None]:
        """A request from its sending to its answer; TimeoutError after so long."""
        async with asyncio.timeout(seconds) as limit:
            call = CallUnderWay(self.otherwise if user is None else user, limit)
            self._open.append(call)
            before = _sent_from.set(call)
            try:
                yield
            finally:
                _sent_from.reset(before)
                call.is_open = False
                self._open.remove(call)

    def note(self, told: str) -> None:
        """Tell all that work goes on for."""
        for call in self._open:
            call.user.note(told)

    def meant(self) -> CallUnderWay | None:
        """The request that what the server asks now belongs to; None where there is a doubt.

        A server that works for two tasks at once must not have the question of one answered by
        the user of the other.
        """
        sent = _sent_from.get()
        if sent is not None:
            return sent if sent in self._open else None
        is_clear = len({call.user.of or id(call.user) for call in self._open}) == 1
        return self._open[-1] if is_clear else None
