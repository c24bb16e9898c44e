"""One server as a settings file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

Source: TypeAlias = Literal["global", "project"]
ServerType: TypeAlias = Literal["stdio", "sse", "streamable-http"]

DEFAULT_TIMEOUT = 60
_SHORTEST_SECRET = 6
_EVERY_TOOL = "*"


class OAuthOptions(Struct, frozen=True):
    """For authorisation servers that do not let clients register themselves."""

    client_id: str = ""
    client_secret: str = ""
    scope: str = ""
    client_metadata_url: str = ""

    def __repr__(self) -> str:
        return f"OAuthOptions({self.client_id!r})"


class ServerEntry(Struct, frozen=True, kw_only=True):
    """Checked, with variables replaced. Its `repr` shows nothing that may be secret."""

    name: str
    source: Source
    type: ServerType
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    disabled: bool = False
    timeout: float = DEFAULT_TIMEOUT
    always_allow: tuple[str, ...] = ()
    disabled_tools: tuple[str, ...] = ()
    watch_paths: tuple[str, ...] = ()
    cache_seconds: float = 0
    """Ours: how long the answer to a read may be given again; 0 asks every time."""
    connections: int = 1
    """Ours: so many calls can be under way at once, each on a connection of its own."""
    oauth: OAuthOptions = OAuthOptions()
    unset: tuple[str, ...] = ()
    """Variables that the entry names and the environment does not have."""

    def __repr__(self) -> str:
        return f"ServerEntry({self.name!r}, {self.source!r}, {self.type!r})"

    def folder(self, workspace: Path) -> Path:
        """Where its program is started."""
        return workspace / Path(self.cwd).expanduser()

    def allows(self, tool: str) -> bool:
        return tool in self.always_allow or _EVERY_TOOL in self.always_allow

    def connects_like(self, other: ServerEntry) -> bool:
        """Whether a connection made for one serves the other too."""
        return _as_connected(self) == _as_connected(other)

    def hide(self, text: str) -> str:
        """Without the values of the entry's variables and headers."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            text = text.replace(secret, "(hidden)")
        return text

    def _secrets(self) -> set[str]:
        given = [*self.env.values(), *self.headers.values(), self.oauth.client_secret]
        words = [word for value in given for word in (value, value.partition(" ")[2])]
        return {word for word in words if len(word) >= _SHORTEST_SECRET}


def _as_connected(entry: ServerEntry) -> ServerEntry:
    """Only what matters to the connection."""
    return replace(
        entry,
        timeout=DEFAULT_TIMEOUT,
        always_allow=(),
        disabled_tools=(),
        watch_paths=(),
        cache_seconds=0,
        unset=(),
    )


Entries: TypeAlias = Mapping[str, ServerEntry]
