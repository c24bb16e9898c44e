"""A control group: limits for all processes of a sandbox together, where we may make one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from roo_code.sandbox.leftovers import orphans, own_name
from roo_code.sandbox.policy import Limits

_WRAPPERS = 4
"""Processes around the command that count as well."""

_busy: set[Path] = set()
"""Groups whose last processes were still ending when they were to go."""


class _Place(NamedTuple):
    folder: Path
    """In which a group of ours can be made."""
    controllers: tuple[str, ...]
    unified: bool


class ControlGroup:
    """`holds` are the controllers in force, of `memory` and `pids`; it may be none of them."""

    def __init__(self, limits: Limits, *, proc: Path = Path("/proc")) -> None:
        self.holds: set[str] = set()
        self._folders: list[Path] = []
        _remove(*_busy)
        for place in _places(proc):
            _remove(*orphans(place.folder))
            self._make(place, limits)

    @property
    def joined_through(self) -> tuple[Path, ...]:
        """Files into which a process writes 0 to join."""
        return tuple(folder / "cgroup.procs" for folder in self._folders)

    def close(self) -> None:
        _remove(*self._folders)

    def _make(self, place: _Place, limits: Limits) -> None:
        folder = place.folder / own_name()
        try:
            folder.mkdir()
        except OSError:
            return
        held = {name for name in place.controllers if _set(folder, name, limits, place.unified)}
        if held:
            self.holds |= held
            self._folders.append(folder)
        else:
            folder.rmdir()


def _set(folder: Path, controller: str, limits: Limits, unified: bool) -> bool:
    if controller == "pids":
        return limits.processes is not None and _write(
            folder / "pids.max", limits.processes + _WRAPPERS
        )
    memory, swap, unswapped = (
        ("memory.max", "memory.swap.max", 0)
        if unified
        else ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", limits.memory)
    )
    if limits.memory is None or not _write(folder / memory, limits.memory):
        return False
    _write(folder / swap, unswapped or 0)
    return True


def _write(file: Path, value: int) -> bool:
    try:
        # Not created if it is missing: then the kernel does not offer that limit here.
        with file.open("r+", encoding="ascii") as opened:
            opened.write(str(value))
    except OSError:
        return False
    return True


def _places(proc: Path) -> Iterator[_Place]:
    try:
        memberships = (proc / "self/cgroup").read_text(encoding="utf-8").splitlines()
        mounts = (proc / "self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    ours = {
        name: path
        for _, names, path in (line.split(":", 2) for line in memberships)
        for name in names.split(",")
    }
    for mount in mounts:
        fields, _, kinds = mount.partition(" - ")
        _, _, _, root, point, *_ = fields.split()
        kind, _, options = kinds.split(maxsplit=2)
        if kind == "cgroup2" and "" in ours:
            own = _below(Path(point), root, ours[""])
            # A group with processes in it can have no limited groups below it: ours is beside it.
            place = own if own == Path(point) else own.parent
            yield _Place(place, ("memory", "pids"), unified=True)
        elif kind == "cgroup":
            for name in {"memory", "pids"} & set(options.split(",")) & set(ours):
                yield _Place(_below(Path(point), root, ours[name]), (name,), unified=False)


def _below(point: Path, root: str, path: str) -> Path:
    try:
        return point / PurePosixPath(path).relative_to(root)
    except ValueError:
        return point


def _remove(*folders: Path) -> None:
    """Those still in use are removed the next time."""
    for folder in folders:
        _busy.add(folder)
        with contextlib.suppress(OSError):
            folder.rmdir()
        if not folder.exists():
            _busy.discard(folder)
