"""One server kept alive: connected in the background, started again when it ends."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from roo_code.errors import ConfigError, RooCodeError, ToolError
from roo_code.mcp_client.breaks import LoginNeeded
from roo_code.mcp_client.circumstances import Circumstances, Negotiation
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.status import Condition, ErrorNote, Listing, McpStatus

if TYPE_CHECKING:
    from roo_code.mcp_client.connection import Connection

LONGEST_MESSAGE = 1000
_LAST_WORDS = 3
"""Lines of a server's stderr that are told with its end."""
_LASTING = (ConfigError, LoginNeeded)
"""What no second try would mend."""


class McpServer:
    """Whatever happens to the server, the status says so and `tell` hears of it."""

    def __init__(
        self,
        entry: ServerEntry,
        around: Circumstances,
        tell: Callable[[McpServer], None],
        may_start: Callable[[], bool],
    ) -> None:
        self.entry = entry
        self._may_start = may_start
        self._around = around
        self._tell = tell
        self.condition: Condition = "disabled" if entry.disabled else "disconnected"
        self.listing = Listing()
        self.errors: deque[ErrorNote] = deque(maxlen=around.errors_kept)
        self.restarts = 0
        self.connect_seconds = 0.0
        """How long the last connecting took."""
        self.calls = 0
        """Under way now."""
        self._error = ""
        """Why it is not connected, and what to do about it."""
        self._needs_login = False
        self._negotiation: Negotiation = "legacy" if entry.type == "stdio" else "auto"
        """The way that worked last, or is to be tried next. Some programs end at any first word
        but the handshake, and some do not know it any more."""
        self._connection: Connection | None = None
        self._wanted = asyncio.Event()
        """Set to have it connected again at once."""
        self._settled = asyncio.Event()
        """Set while it is known whether the server can be used."""
        self._job: asyncio.Task[None] | None = None

    def start(self) -> None:
        if not self.entry.disabled and self._job is None:
            self.condition = "connecting"
            self._settled.clear()
            self._job = asyncio.create_task(self._supervise(), name=f"mcp {self.entry.name}")

    async def stop(self) -> None:
        """End it, and its processes with it."""
        job, self._job = self._job, None
        self._wanted.clear()
        if job is not None:
            job.cancel()
            await asyncio.wait([job])
        self._change("disabled" if self.entry.disabled else "disconnected")

    async def restart(self) -> None:
        """End it and begin anew, whatever was before."""
        await self.stop()
        self.restarts += 1
        self.start()

    def status(self) -> McpStatus:
        is_well = self.condition in ("connected", "disabled")
        return McpStatus(
            name=self.entry.name,
            source=self.entry.source,
            type=self.entry.type,
            condition=self.condition,
            error="" if is_well else self._error,
            needs_login=self._needs_login and not is_well,
            errors=tuple(self.errors),
            listing=self.listing,
            restarts=self.restarts,
        )

    def note(self, message: str, level: Literal["error", "warning", "info"] = "error") -> None:
        """Keep it in the history of errors, without anything secret."""
        if message.strip():
            self.errors.append(ErrorNote(self._shown(message), time.time(), level))

    async def settled(self) -> None:
        """Until it is known whether the server can be used."""
        if self.condition == "connecting":
            await self._settled.wait()

    async def connection(self) -> Connection:
        """The one connection, waited for a while if need be; ToolError if there is none."""
        if self._is_lost and self._job is not None:
            if self.condition != "connecting":
                self._settled.clear()
                self._wanted.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._around.patience):
                    await self._settled.wait()
        if self._connection is None or self._is_lost:
            why = f": {self._error}" if self._error else "."
            raise ToolError(f"The MCP server {self.entry.name} is not connected{why}")
        return self._connection

    @property
    def _is_lost(self) -> bool:
        """Known at once, though the supervision may still have to hear of it."""
        return self._connection is None or self._connection.lost.is_set()

    async def _supervise(self) -> None:
        opening = await asyncio.to_thread(import_module, "roo_code.mcp_client.opening")
        # The SDK would write all that is said into the log of a run with --debug.
        logging.getLogger("mcp").setLevel(logging.WARNING)
        failures = 0
        while True:
            began = self._around.clock()
            self._change("connecting")
            try:
                await self._live(opening)
                error: RooCodeError | None = None
            except opening.BREAKS as broken:
                error = opening.explained(broken)
            if self._job is not asyncio.current_task():
                return  # what broke was the stopping
            if self._around.clock() - began >= self._around.rules.settled:
                failures = 0
            failures += 1
            self._fail(error)
            gives_up = failures >= self._around.rules.tries
            if gives_up or isinstance(error, _LASTING):
                await self._wanted.wait()
            else:
                await self._pause(self._around.rules.wait_before(failures))
            if self._wanted.is_set():
                self._wanted.clear()
                failures = 0
            self.restarts += 1

    async def _live(self, opening: Any) -> None:
        """From connecting to the end of the connection."""
        began = self._around.clock()
        if not await asyncio.to_thread(self._may_start):
            raise ConfigError(
                f"{self.entry.name} has changed since you consented to it, so it was not started.",
                hint="See what it is now with: roo trust list; consent with: roo trust grant.",
            )
        way = self._negotiation
        self._negotiation = "auto" if way == "legacy" else "legacy"  # unless this one works
        async with asyncio.timeout(self._around.connect_seconds) as limit:
            async with opening.opened(self.entry, self._around, self._hear, way) as connection:
                self.listing = await connection.listing()
                limit.reschedule(None)
                self.connect_seconds = self._around.clock() - began
                self._connection = connection
                self._negotiation = way
                self._change("connected")
                try:
                    await self._attend(connection)
                finally:
                    self._connection = None
                    self._settled.clear()
                    self.condition = "disconnected"  # told before its processes are ended
                    self._tell(self)

    async def _attend(self, connection: Connection) -> None:
        """Until the connection is lost; lists anew what the server says has changed."""
        following = asyncio.create_task(connection.follow_changes())
        lost = asyncio.create_task(connection.lost.wait())
        try:
            while not connection.lost.is_set():
                stale = asyncio.create_task(connection.stale.wait())
                try:
                    await asyncio.wait([lost, stale], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    stale.cancel()
                if connection.stale.is_set() and not connection.lost.is_set():
                    connection.stale.clear()
                    self.listing = await connection.listing()
                    self._tell(self)
        finally:
            for job in (following, lost):
                job.cancel()
            await asyncio.gather(following, lost, return_exceptions=True)

    async def _pause(self, seconds: float) -> None:
        """For so long, or until somebody wants the server."""
        await _first(self._around.pause(seconds), self._wanted.wait())

    def _hear(self, line: str) -> None:
        self.note(line, "info" if "INFO" in line else "error")

    def _fail(self, error: RooCodeError | None) -> None:
        ended = "The server ended." if self.entry.type == "stdio" else "The connection was lost."
        told = str(error or ended)
        hint = error.hint if isinstance(error, _LASTING) else ""
        message = f"{told.rstrip('.')}. {hint}".strip()
        notes = list(self.errors)[-_LAST_WORDS:]
        last_words = dict.fromkeys(note.message for note in notes if note.message != told)
        if self.entry.type == "stdio" and last_words and not isinstance(error, _LASTING):
            message = f"{message} Its last words: {' / '.join(last_words)}"
        self._needs_login = isinstance(error, LoginNeeded)
        self._error = self._shown(message)
        self.note(told)
        self._change("disconnected")

    def _shown(self, text: str) -> str:
        return self._around.hide(self.entry.hide(text.strip()))[:LONGEST_MESSAGE]

    def _change(self, condition: Condition) -> None:
        if condition == "connecting" or self._wanted.is_set():
            self._settled.clear()
        else:
            self._settled.set()
        self.condition = condition
        self._tell(self)


async def _first(*work: Awaitable[object]) -> None:
    """Until one of them is done; the others are given up."""
    jobs = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
