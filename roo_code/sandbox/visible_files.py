"""Which files a program in a bubblewrap sandbox sees, as arguments of bubblewrap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from roo_code.errors import ConfigError
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.system_files import copy_system_files

_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders in some systems, links into /usr in others."""
_SYSTEM = ("/usr", "/opt", "/nix/store")
_HOME = Path("/home/sandbox")


class VisibleFiles(NamedTuple):
    """Settled once for all commands of a sandbox.

    What is mounted in the first cannot be swapped for a link there, so that the next mounts the
    same; looked up anew, it could be made to lead anywhere.
    """

    home: Path
    arguments: tuple[str, ...]
    folders: tuple[Path, ...]
    """Those that were given, as against those of the system."""


def system_arguments(private: Path) -> Iterator[str]:
    """What programs need of the system; files for it are made in the private folder."""
    for name in _SYSTEM:
        if Path(name).is_dir():
            yield from ("--ro-bind", name, name)
    for name in _MERGED:
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    etc = private / "etc"
    mounted = copy_system_files(etc)
    yield from ("--ro-bind", str(etc), "/etc")
    for name in mounted:
        yield from ("--ro-bind", f"/etc/{name}", f"/etc/{name}")


def visible_files(
    workspace: Path,
    policy: SandboxPolicy,
    *,
    home: Path,
    system: Sequence[str],
    size: Sequence[str],
) -> VisibleFiles:
    """`system` are the arguments for what all sandboxes show, `size` those for a limited folder."""
    workspace, home = workspace.resolve(), home.resolve()
    refuse_too_much(workspace, policy, home)
    if home == Path("/") or any(home.is_relative_to(folder) for folder in (*_SYSTEM, "/etc")):
        home = _HOME  # of a user that has none, or of a service
    arguments = (
        *system,
        "--proc", "/proc", "--dev", "/dev",
        *size, "--tmpfs", "/dev/shm",
        "--perms", "1777", *size, "--tmpfs", "/tmp",
        "--perms", "0755", "--dir", "/var", "--symlink", "/tmp", "/var/tmp",
        "--perms", "0700", *size, "--tmpfs", str(home),
        *_given(workspace, policy),
        *_protected(workspace, policy.protected),
        "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/",
    )  # fmt: skip
    given = tuple(folder.resolve() for folder in (*policy.readable, *policy.writable))
    return VisibleFiles(home, arguments, (workspace, *given))


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


def _given(workspace: Path, policy: SandboxPolicy) -> Iterator[str]:
    """From the outside in, so that a folder is not hidden by one that holds it."""
    writable = {workspace, *(folder.resolve() for folder in policy.writable)}
    readable = {folder.resolve() for folder in policy.readable} - writable
    for folder in sorted(writable | readable):
        how = "--bind" if folder in writable else "--ro-bind-try"
        yield from (how, str(folder), str(folder))


def _protected(workspace: Path, patterns: Sequence[str]) -> Iterator[str]:
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
                    yield from ("--bind", str(above), str(above))
            yield from _read_only(path, made=made)


def _read_only(path: Path, *, made: bool) -> tuple[str, ...]:
    if made:
        return ("--tmpfs", str(path), "--remount-ro", str(path))
    return ("--ro-bind", str(path), str(path))
