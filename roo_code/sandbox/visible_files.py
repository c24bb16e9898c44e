"""Which files a program in a bubblewrap sandbox sees, as arguments of bubblewrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.shown_folders import (
    MERGED,
    SYSTEM,
    Manner,
    Shown,
    home_inside,
    refuse_too_much,
    shown_paths,
)
from roo_code.sandbox.system_files import copy_system_files

_WORDS: Mapping[Manner, str] = {
    "write": "--bind", "read": "--ro-bind", "read if there": "--ro-bind-try",
}  # fmt: skip


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
    for name in SYSTEM:
        if Path(name).is_dir():
            yield from ("--ro-bind", name, name)
    for name in MERGED:
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
    home = home_inside(home)
    arguments = (
        *system,
        "--proc", "/proc", "--dev", "/dev",
        *size, "--tmpfs", "/dev/shm",
        "--perms", "1777", *size, "--tmpfs", "/tmp",
        "--perms", "0755", "--dir", "/var", "--symlink", "/tmp", "/var/tmp",
        "--perms", "0700", *size, "--tmpfs", str(home),
        *(word for shown in shown_paths(workspace, policy) for word in _arguments(shown)),
        "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/",
    )  # fmt: skip
    given = tuple(folder.resolve() for folder in (*policy.readable, *policy.writable))
    return VisibleFiles(home, arguments, (workspace, *given))


def _arguments(shown: Shown) -> tuple[str, ...]:
    path = str(shown.path)
    if shown.manner == "empty":
        return ("--tmpfs", path, "--remount-ro", path)
    return (_WORDS[shown.manner], path, path)
