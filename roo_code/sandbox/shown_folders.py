"""Which folders a sandbox shows, and what in them it keeps from being changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from roo_code.errors import ConfigError
from roo_code.sandbox.policy import SandboxPolicy

SYSTEM = ("/usr", "/opt", "/nix/store")
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders in some systems, links into /usr in others."""
_HOME = Path("/home/sandbox")

Manner: TypeAlias = Literal["write", "read", "read if there", "empty"]
"""`empty` is for a folder that is missing and is to be there, read-only."""


class Shown(NamedTuple):
    """A path that is inside what it is outside."""

    path: Path
    manner: Manner


def shown_paths(workspace: Path, policy: SandboxPolicy) -> Iterator[Shown]:
    """From the outside in, so that a folder is not hidden by one that holds it."""
    writable = {workspace, *(folder.resolve() for folder in policy.writable)}
    readable = {folder.resolve() for folder in policy.readable} - writable
    for folder in sorted(writable | readable):
        yield Shown(folder, "write" if folder in writable else "read if there")
    yield from _protected(workspace, policy.protected)


def _protected(workspace: Path, patterns: Sequence[str]) -> Iterator[Shown]:
    """Nothing on the way may be a link, nor be renamed: what is mounted on itself cannot be."""
    mounted: set[Path] = set()
    for pattern in patterns:
        missing = workspace / pattern
        made = pattern.endswith("/") and missing.parent.is_dir() and not missing.exists()
        for path in [missing] if made else sorted(workspace.glob(pattern.rstrip("/"))):
            if path.resolve() != path:
                continue
            for folder in reversed(path.relative_to(workspace).parents[:-1]):
                if (above := workspace / folder) not in mounted:
                    mounted.add(above)
                    yield Shown(above, "write")
            yield Shown(path, "empty" if made else "read")


def home_inside(home: Path) -> Path:
    """Where the empty home is."""
    if home == Path("/") or any(home.is_relative_to(folder) for folder in (*SYSTEM, "/etc")):
        return _HOME  # of a user that has none, or of a service
    return home


def refuse_unseen(cwd: Path, shown: Sequence[Path]) -> None:
    """Refuse to run a command in a folder that is in none of those."""
    if not any(cwd.resolve().is_relative_to(folder) for folder in shown):
        raise ConfigError(
            f"The folder {cwd} is not to be seen in the sandbox.",
            hint="Run the command in the workspace, or list the folder as readable.",
        )


def refuse_too_much(workspace: Path, policy: SandboxPolicy, home: Path) -> None:
    if home.is_relative_to(workspace) and home != Path("/"):
        raise ConfigError(
            f"The workspace {workspace} holds your home folder, which a sandbox must not show.",
            hint="Work in the folder of a project, or go on without the sandbox.",
        )
    for folder in (workspace, *policy.readable, *policy.writable):
        if folder.resolve() in {Path("/"), Path("/proc"), Path("/dev"), Path("/sys")}:
            raise ConfigError(
                f"The folder {folder} cannot be shown in a sandbox.",
                hint="List the folders in it that commands need.",
            )
