"""The SQLite schema of the task store, and how an older one becomes it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from roo_code.errors import StoreUnavailable

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE tasks (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, workspace TEXT NOT NULL,
        mode TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, parent_id TEXT,
        created_at REAL NOT NULL, updated_at REAL NOT NULL, last_seq INTEGER NOT NULL,
        tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0,
        cost REAL NOT NULL DEFAULT 0, turns INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX tasks_by_parent ON tasks (parent_id, updated_at DESC, id DESC);
    CREATE INDEX tasks_by_workspace ON tasks (workspace, parent_id, updated_at DESC, id DESC);
    CREATE INDEX tasks_by_status ON tasks (status);
    CREATE INDEX tasks_by_update ON tasks (updated_at);

    CREATE TABLE events (
        task_id TEXT NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, type TEXT NOT NULL,
        body TEXT NOT NULL, UNIQUE (task_id, seq)
    );

    CREATE TABLE commands (
        id TEXT PRIMARY KEY, task_id TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL,
        consumed INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX commands_open ON commands (task_id) WHERE consumed = 0;

    CREATE TABLE leases (
        task_id TEXT PRIMARY KEY, owner TEXT, token INTEGER NOT NULL, expires_at REAL NOT NULL
    );

    CREATE TABLE budgets (
        task_id TEXT PRIMARY KEY, parent_id TEXT,
        max_turns INTEGER, max_tokens INTEGER, max_cost REAL, max_seconds REAL,
        turns INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
        cost REAL NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0
    );
    CREATE TABLE reservations (
        id INTEGER NOT NULL, task_id TEXT NOT NULL, holder TEXT NOT NULL,
        turns INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL NOT NULL,
        sure_tokens INTEGER NOT NULL, sure_cost REAL NOT NULL,
        PRIMARY KEY (id, task_id)
    );
    CREATE INDEX reservations_by_task ON reservations (task_id);
    CREATE INDEX reservations_by_holder ON reservations (holder);
    """,
)
SCHEMA_VERSION = len(MIGRATIONS)


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open the store; a writer makes or upgrades it first."""
    connection: sqlite3.Connection | None = None
    try:
        if write:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=30, cached_statements=64
        )
        connection.execute("PRAGMA synchronous=FULL")  # a power cut must not undo an intent
        connection.execute("PRAGMA busy_timeout=30000")
        if write:
            _prepare(connection, path)
        else:
            connection.execute("PRAGMA query_only=ON")
    except (OSError, sqlite3.Error, StoreUnavailable) as error:
        if connection is not None:
            connection.close()
        raise error if isinstance(error, StoreUnavailable) else unavailable(error, path) from error
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise StoreUnavailable(
            f"The task store {str(path)!r} was written by a newer version of Roo Code "
            f"(schema {version}, this one knows {SCHEMA_VERSION}).",
            hint="Upgrade Roo Code, or set ROO_HOME to another folder.",
        )
    connection.execute("PRAGMA journal_mode=WAL")
    path.chmod(0o600)
    if version:
        _keep_copy(connection, path.with_name(f"{path.name}.version-{version}"))
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]  # another process was faster
    for number in range(version, SCHEMA_VERSION):
        for statement in MIGRATIONS[number].split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _keep_copy(connection: sqlite3.Connection, path: Path) -> None:
    """The store as it was, whole, before it is changed; one that is there already stays."""
    if path.exists():
        return
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    connection.execute("VACUUM INTO ?", (str(unfinished),))
    unfinished.chmod(0o600)
    unfinished.rename(path)


def unavailable(error: Exception, path: Path) -> StoreUnavailable:
    """What a person can do about a store that does not work."""
    text = str(error).lower()
    if "full" in text or "no space" in text:
        hint = "Free some disk space and resume the task; all that was stored is intact."
    elif "readonly" in text or "read-only" in text or "unable to open" in text or "denied" in text:
        hint = "Make the folder writable, set ROO_HOME to another one, or use --ephemeral."
    elif "malformed" in text or "not a database" in text:
        hint = "The file is damaged: keep a copy of it, and set ROO_HOME to another folder."
    elif "locked" in text:
        hint = "Another process keeps the store busy; try again."
    else:
        hint = "Check the folder, or set ROO_HOME to another one."
    return StoreUnavailable(f"The task store {str(path)!r} cannot be used: {error}.", hint=hint)
