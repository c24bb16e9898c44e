"""All that connecting to a server needs besides its entry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from roo_code.mcp_access import McpUser

Negotiation: TypeAlias = Literal["legacy", "auto"]
"""How a connection begins: with the handshake, or by asking first for the newest protocol."""


class Confined(NamedTuple):
    argv: Sequence[str]
    environment: Mapping[str, str]


class Confine(Protocol):
    """Puts a program into the sandbox of a workspace."""

    def __call__(
        self, workspace: Path, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], /
    ) -> Confined: ...


class Secrets(Protocol):
    """Where the tokens of logins are kept."""

    def get(self, key: str) -> str | None: ...

    def store_secret(self, key: str, value: str | None = None) -> None: ...


class LoginWays(NamedTuple):
    """How the user is shown the page of a login, and how the answer comes back."""

    show: Callable[[str], Awaitable[None]]
    paste: Callable[[], Awaitable[str]] | None = None
    """Reads the address of the page that the browser could not open, on machines without one."""
    port: int = 0
    """Of this machine, for the browser to come back to; 0 is any."""


class RestartRules(Struct, frozen=True):
    """When a server that ended is started again."""

    tries: int = 6
    """In a row; a person, a changed file or a call of the model begins anew."""
    first_wait: float = 0.5
    growth: float = 2.0
    longest_wait: float = 30.0
    settled: float = 30.0
    """Seconds of life after which an end counts as the first again."""

    def wait_before(self, failures: int) -> float:
        return min(self.first_wait * self.growth ** (failures - 1), self.longest_wait)


class Circumstances(Struct, frozen=True, kw_only=True):
    workspace: Path
    environment: Callable[[], Mapping[str, str]]
    """What programs are started with; an entry's own variables come on top."""
    confine: Confine | None = None
    secrets: Callable[[], Secrets] | None = None
    """Opened only where a server has an address."""
    login: LoginWays | None = None
    """Set where somebody is there to log in; else a server that wants it stays unconnected."""
    user: McpUser = McpUser()
    """Asked where a call brings no user of its own."""
    hide: Callable[[str], str] = lambda text: text
    """Takes the user's keys out of what is told of a server."""
    rules: RestartRules = RestartRules()
    errors_kept: int = 100
    connect_seconds: float = 60.0
    patience: float = 10.0
    """How long a call waits for a server that is not connected."""
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
