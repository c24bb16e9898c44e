"""What runs now of all that any roo of this user has started, told by the processes themselves."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from itertools import dropwhile
from typing import NamedTuple, get_args

from roo_code.workspace.child_marks import KIND_VARIABLE, MARK_VARIABLE, ChildKind, start_of

_MARK = re.compile(r"/(\d+)-(\d+)-[0-9a-f]+\.[0-9/]+$")
"""The last roo named in a mark, which may itself run under another."""
_KIND = re.compile(rf"({'|'.join(get_args(ChildKind))})/([\w-]*)")
_LAST_OF_SANDBOX = "--core=0"
_LONGEST = 2000


class RunningChild(NamedTuple):
    """One thing we started, with all that it has started itself."""

    kind: str
    pid: int
    """Of its first process that is left."""
    processes: int
    started: float
    """Seconds since 1970."""
    task_id: str
    command: str
    owner: int
    """The process that started it."""
    is_orphan: bool
    """Whether that one is gone; the reaper ends such a child within moments."""


class _Process(NamedTuple):
    start: int
    pid: int
    mark: str
    kind: str


def running() -> list[RunningChild]:
    """The oldest first. Empty where a system does not show the environment of processes."""
    by_mark: dict[str, list[_Process]] = {}
    for process in _marked_processes():
        by_mark.setdefault(process.mark, []).append(process)
    return sorted((_child(found) for found in by_mark.values()), key=lambda child: child.started)


def _child(found: list[_Process]) -> RunningChild:
    first = min(found)
    owner, owners_start = _owner(first.mark)
    # What a command says of itself is its own word: nothing of it may steer a terminal.
    said = _KIND.fullmatch(first.kind)
    kind, task = said.groups() if said else ("unknown", "")
    return RunningChild(
        kind=kind,
        pid=first.pid,
        processes=len(found),
        started=_booted() + first.start / os.sysconf("SC_CLK_TCK"),
        task_id=task,
        command=_command(first.pid),
        owner=owner,
        is_orphan=start_of(owner) != owners_start,
    )


def _marked_processes() -> Iterator[_Process]:
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():  # noqa: PTH112, PTH208
        if not name.isdecimal():
            continue
        environment = _environment(name)
        mark, start = environment.get(MARK_VARIABLE, ""), start_of(int(name))
        if start and _MARK.search(mark):
            kind = environment.get(KIND_VARIABLE, "worker/")
            yield _Process(start, int(name), mark, kind)


def _environment(pid: str) -> Mapping[str, str]:
    pairs = _read(f"/proc/{pid}/environ").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair.startswith("ROO_STARTED_"))


def _command(pid: int) -> str:
    """Without the words of a sandbox before it."""
    words = _read(f"/proc/{pid}/cmdline").split("\0")
    if _LAST_OF_SANDBOX in words:
        inside = words[words.index(_LAST_OF_SANDBOX) + 1 :]
        words = list(dropwhile(lambda word: word.startswith("--"), inside))
    return " ".join(words).strip()[:_LONGEST]


def _owner(mark: str) -> tuple[int, int]:
    found = _MARK.search(mark)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _booted() -> float:
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - many are read
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""  # another user's, or it has ended
