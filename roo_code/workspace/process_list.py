"""Which processes of a command are alive, found by group and by mark."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")


def living(group: int, mark: str) -> set[int]:
    """Ids of the processes in the group, and of those that left it but carry the mark.

    A zombie is not alive: only its parent, who may never do so, can take it off the list.
    """
    if not (_PROC / "self" / "stat").exists():
        return {-group} if group_exists(group) else set()  # as `kill` names a group
    needle = mark.encode()
    return {
        pid
        for entry in os.scandir(_PROC)
        if entry.name.isdecimal() and _is_member(pid := int(entry.name), group, needle)
    }


def _is_member(pid: int, group: int, needle: bytes) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False  # it ended while we looked
    # The name, in parentheses, may hold anything; what follows its last parenthesis is fixed.
    fields = status[status.rindex(b")") + 2 :].split()
    if fields[0] in {b"Z", b"X"}:
        return False
    if int(fields[2]) == group:
        return True
    try:
        return needle in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False  # another user's


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
