"""Commands on their way to whoever drives the task."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache

from msgspec.json import Decoder

from roo_code.commands import Command
from roo_code.errors import TaskNotFound


@cache
def _command_type() -> Decoder[Command]:
    return Decoder(Command)


def put(db: sqlite3.Connection, command: Command, now: float) -> None:
    if not db.execute("SELECT 1 FROM tasks WHERE id = ?", (command.task_id,)).fetchone():
        raise TaskNotFound(command.task_id)
    db.execute(
        "INSERT OR IGNORE INTO commands (id, task_id, at, body) VALUES (?, ?, ?, ?)",
        (command.command_id, command.task_id, now, command.to_json()),
    )


def waiting(db: sqlite3.Connection, task_id: str) -> list[Command]:
    rows = db.execute(
        "SELECT body FROM commands WHERE task_id = ? AND consumed = 0 ORDER BY rowid", (task_id,)
    )
    return [_command_type().decode(row[0]) for row in rows]


def consume(db: sqlite3.Connection, command_ids: Sequence[str]) -> None:
    """The id stays, so that a repeat is known; what was said is in the log now."""
    db.executemany(
        "UPDATE commands SET consumed = 1, body = '' WHERE id = ?", [(id,) for id in command_ids]
    )
