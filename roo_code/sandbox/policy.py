"""What a program in a sandbox may see, change and use up."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from roo_code.errors import ConfigError

Network: TypeAlias = Literal["off", "listed", "on"]

_GIB = 1 << 30

ENVIRONMENT = (
    "PATH", "SHELL", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM",
    "COLUMNS", "LINES", "NO_COLOR", "PAGER", "GIT_PAGER", "CI", "VIRTUAL_ENV", "ROO_ACTIVE",
)  # fmt: skip
"""None of these holds a secret."""

PROTECTED = (
    ".git/hooks/", ".git/config", ".git/modules/*/hooks", ".git/modules/*/config",
    ".git/config.worktree", ".git/commondir", ".roo",
    ".vscode", ".rooignore", ".rooprotected", ".roomodes", ".roorules*", ".clinerules*", ".agents",
    ".husky", "AGENTS.md", "AGENTS.local.md", "AGENT.md", "*.code-workspace",
)  # fmt: skip
"""What runs outside of the sandbox, or steers what does."""


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """None is no limit. Bytes and seconds; `cpu_seconds` and `file_size` are those of one process.

    `memory` and `processes` are those of all commands of the sandbox together where a control
    group can be made; elsewhere memory is that of one process and processes those of one command.
    """

    memory: int | None = 4 * _GIB
    processes: int | None = 512
    cpu_seconds: int | None = None
    file_size: int | None = 4 * _GIB
    wall_seconds: float | None = None
    temporary: int = 2 * _GIB
    """What fits into each folder that lives in memory: /tmp, /dev/shm and the empty home."""

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__struct_fields__}
        if wrong := [name for name, value in given.items() if value is not None and value <= 0]:
            raise ConfigError(f"Limits of the sandbox must be above zero: {', '.join(wrong)}.")


class SandboxPolicy(Struct, frozen=True, kw_only=True):
    """The workspace can be written, the system read; nothing else is there unless listed."""

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    protected: tuple[str, ...] = PROTECTED
    """What is read-only in the workspace, with `*`; a folder named with a slash even if missing."""
    network: Network = "off"
    hosts: tuple[str, ...] = ()
    """Those that can be reached if the network is `listed`."""
    limits: Limits = Limits()
    image: str = ""
    """Of a container, whose programs are used; else, and in any other sandbox, those of here."""
    environment: tuple[str, ...] = ENVIRONMENT
    """Names of variables that are handed on, `*` for any ending; all others are not."""
    withheld: tuple[str, ...] = ()
    """Names of those that are not, though the others say so."""

    def chosen(self, environment: dict[str, str]) -> dict[str, str]:
        """Of these variables the ones that are handed on."""
        return {
            name: value
            for name, value in environment.items()
            if _matches(name, self.environment) and not _matches(name, self.withheld)
        }


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
