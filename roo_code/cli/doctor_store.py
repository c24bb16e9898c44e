"""Whether the task store is whole, and nothing in it is left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.paths import roo_home, state_folder
from roo_code.errors import RooCodeError
from roo_code.task.leases import LEASE_SECONDS, is_alive
from roo_code.task.schema import SCHEMA_VERSION, connect

_LEAST_SPACE = 100_000_000
_MOST_SKEW = 60.0
_SHOWN = 5
_DAMAGED = "Keep a copy of it, and of the file -wal beside it; then set ROO_HOME to another folder."


def check_store(*, thorough: bool) -> Iterator[Finding]:
    yield _space()
    yield _clock()
    path = state_folder() / "tasks.sqlite3"
    if not path.exists():
        yield Finding("store", "ok", "no tasks yet")
        return
    try:
        with closing(connect(path, write=False)) as db:
            version: int = db.execute("PRAGMA user_version").fetchone()[0]
            if version != SCHEMA_VERSION:
                yield _version(path, version)
                return
            yield _whole(db, path, thorough=thorough)
            yield _torn(db)
            yield _leases(db)
            yield _times(db)
    except (sqlite3.Error, RooCodeError) as error:
        fix = getattr(error, "hint", "") or _DAMAGED
        yield Finding("store", "broken", f"{path} cannot be read: {error}", fix)


def _space() -> Finding:
    home = roo_home()
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < _LEAST_SPACE:
        fix = "Free some space, or set ROO_HOME to another disk."
        return Finding("disk", "broken", f"{free // 1_000_000} MB free for {home}", fix)
    if not os.access(there, os.W_OK):
        fix = f"chown or chmod {there}, or set ROO_HOME to another folder."
        return Finding("disk", "broken", f"{there} cannot be written", fix)
    return Finding("disk", "ok", f"{free // 1_000_000_000} GB free for {home}")


def _clock() -> Finding:
    """Leases compare times of processes; a disk on the network may have another clock."""
    folder = state_folder()
    if not (folder.exists() and os.access(folder, os.W_OK)):
        return Finding("clock", "ok", "not compared with the disk's")
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".clock-") as file:
        skew = abs(os.fstat(file.fileno()).st_mtime - time.time())
    if skew > _MOST_SKEW:
        fix = "Set the clocks of this machine and of the file server by NTP."
        return Finding("clock", "broken", f"{skew:.0f} s apart from the disk's", fix)
    return Finding("clock", "ok", "agrees with the disk's")


def _version(path: Path, version: int) -> Finding:
    if version > SCHEMA_VERSION:
        text = f"{path} has schema {version}, and this Roo Code knows {SCHEMA_VERSION}"
        return Finding("store", "broken", text, "Upgrade Roo Code.")
    text = f"{path} has schema {version}; the next task brings it to {SCHEMA_VERSION}"
    return Finding("store", "ok", text)


def _whole(db: sqlite3.Connection, path: Path, *, thorough: bool) -> Finding:
    check = "integrity_check" if thorough else "quick_check"
    rows = [row[0] for row in db.execute(f"PRAGMA {check}({_SHOWN})")]
    if rows != ["ok"]:
        return Finding("store", "broken", f"{path}: {'; '.join(rows)}", _DAMAGED)
    tasks, events = db.execute(
        "SELECT (SELECT COUNT(*) FROM tasks), (SELECT COUNT(*) FROM events)"
    ).fetchone()
    return Finding(
        "store", "ok", f"schema {SCHEMA_VERSION}, {tasks} tasks, {events} records, whole"
    )


def _torn(db: sqlite3.Connection) -> Finding:
    """Logs with a gap, an end that is missing, or a record that is no JSON."""
    torn = [
        row[0]
        for row in db.execute(
            "SELECT id FROM tasks LEFT JOIN (SELECT task_id, COUNT(*) AS count, MAX(seq) AS last,"
            " MIN(json_valid(body)) AS valid FROM events GROUP BY task_id) ON task_id = id"
            " WHERE count IS NULL OR count != last OR last != last_seq OR NOT valid LIMIT ?",
            (_SHOWN,),
        )
    ]
    if torn:
        text = f"records are missing or torn in {', '.join(torn)}"
        return Finding("records", "broken", text, "roo tasks show ID tells what is left of one.")
    return Finding("records", "ok", "every log is complete")


def _leases(db: sqlite3.Connection) -> Finding:
    """Tasks that nobody drives, though they were to run."""
    now = time.time()
    orphaned = [
        task_id
        for task_id, owner, expires_at in db.execute(
            "SELECT task_id, owner, expires_at FROM leases JOIN tasks ON id = task_id"
            " WHERE owner IS NOT NULL AND status IN ('created', 'running')"
        )
        if expires_at <= now or not is_alive(owner)
    ]
    if orphaned:
        text = f"{len(orphaned)} tasks whose process is gone: {', '.join(orphaned[:_SHOWN])}"
        return Finding("leases", "note", text, f"Go on with one: roo tasks resume {orphaned[0]}")
    return Finding("leases", "ok", "none is orphaned")


def _times(db: sqlite3.Connection) -> Finding:
    """Records or leases from the future: the clock was ahead once, or is behind now."""
    now = time.time()
    newest = max(
        db.execute("SELECT COALESCE(MAX(at), 0) FROM events").fetchone()[0],
        db.execute("SELECT COALESCE(MAX(expires_at), 0) FROM leases").fetchone()[0] - LEASE_SECONDS,
    )
    if newest - now > _MOST_SKEW:
        text = f"records are {newest - now:.0f} s in the future"
        return Finding(
            "times", "broken", text, "Set the clock; a lease from the future runs out late."
        )
    return Finding("times", "ok", "no record is from the future")
