"""Who drives a task: at most one live process, and an old one is refused."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path

from roo_code.commands import new_id
from roo_code.errors import LeaseLost
from roo_code.task.store import Lease

LEASE_SECONDS = 30.0
"""How long a process that cannot be seen from here may be silent before it counts as dead."""


def process_owner() -> str:
    """A name for a driver in this process that tells another whether it is still alive."""
    pid = os.getpid()
    return f"{_machine()}|{pid}|{_started_at(pid)}|{new_id()[:8]}"


def is_alive(owner: str) -> bool:
    """False only if the owner is surely dead; of another machine only its lease can tell."""
    machine, pid, started, _ = owner.split("|")
    return machine != _machine() or _started_at(int(pid)) == started


def _machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def _started_at(pid: int) -> str:
    """When the process started, or "" if there is none: a reused pid is another process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "" if Path("/proc/self").exists() or not _exists(pid) else "unknown"
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def acquire(db: sqlite3.Connection, task_id: str, owner: str, now: float) -> Lease | None:
    row = db.execute(
        "SELECT owner, token, expires_at FROM leases WHERE task_id = ?", (task_id,)
    ).fetchone()
    if row is not None:
        held_by, token, expires_at = row
        if held_by not in (None, owner) and expires_at > now and is_alive(held_by):
            return None
    else:
        token = 0
    db.execute(
        "INSERT OR REPLACE INTO leases (task_id, owner, token, expires_at) VALUES (?, ?, ?, ?)",
        (task_id, owner, token + 1, now + LEASE_SECONDS),
    )
    return Lease(task_id, owner, token + 1)


def check(db: sqlite3.Connection, lease: Lease) -> None:
    """The fence: a driver that was replaced may not write."""
    row = db.execute("SELECT token FROM leases WHERE task_id = ?", (lease.task_id,)).fetchone()
    if row is None or row[0] != lease.token:
        raise LeaseLost(lease.task_id)


def renew(db: sqlite3.Connection, lease: Lease, now: float) -> None:
    check(db, lease)
    db.execute(
        "UPDATE leases SET expires_at = ? WHERE task_id = ?", (now + LEASE_SECONDS, lease.task_id)
    )


def release(db: sqlite3.Connection, lease: Lease) -> None:
    db.execute(
        "UPDATE leases SET owner = NULL, expires_at = 0 WHERE task_id = ? AND token = ?",
        (lease.task_id, lease.token),
    )


def holder(db: sqlite3.Connection, task_id: str, now: float) -> int | None:
    """The token of the lease, if a live owner holds it."""
    if not is_held(db, task_id, now):
        return None
    return db.execute("SELECT token FROM leases WHERE task_id = ?", (task_id,)).fetchone()[0]


def is_held(db: sqlite3.Connection, task_id: str, now: float, besides: str = "") -> bool:
    """Whether a live owner, other than the one named, holds the lease."""
    row = db.execute(
        "SELECT owner, expires_at FROM leases WHERE task_id = ?", (task_id,)
    ).fetchone()
    if row is None or row[0] in (None, besides):
        return False
    return row[1] > now and is_alive(row[0])
