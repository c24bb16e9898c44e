"""Which processes of a command are alive, found by group and by mark."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")


def marks_are_seen() -> bool:
    """Whether this system shows the environment of processes, and so the marks in it."""
    return (_PROC / "self" / "environ").exists()


def living(mark: str, group: int | None = None) -> set[int]:
    """Ids of the processes that carry the mark, and of those in the group, marked or not.

    A zombie is not alive: only its parent, who may never do so, can take it off the list.
    """
    if not marks_are_seen():
        return {-group} if group and group_exists(group) else set()  # as `kill` names a group
    needle = mark.encode()
    return {
        pid
        for entry in os.scandir(_PROC)
        if entry.name.isdecimal() and _is_member(pid := int(entry.name), group, needle)
    }


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def in_group(pid: int, group: int | None) -> bool:
    try:
        return group is not None and os.getpgid(abs(pid)) == group
    except ProcessLookupError:
        return False


def _is_member(pid: int, group: int | None, needle: bytes) -> bool:
    try:
        if os.getpgid(pid) != group and needle not in _read(f"/proc/{pid}/environ"):
            return False
        status = _read(f"/proc/{pid}/stat")
    except OSError:
        return False  # it is another user's, or ended while we looked
    # The name, in parentheses, may hold anything; what follows its last parenthesis is fixed.
    return status[status.rindex(b")") + 2 :].split()[0] not in {b"Z", b"X"}


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # many are read: nothing slower will do
    try:
        return b"".join(iter(lambda: os.read(file, 1 << 16), b""))
    finally:
        os.close(file)
