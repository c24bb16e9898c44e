"""Events and task rows in SQL. A task's row is an index of its log, kept in the same commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args

from roo_code.errors import StoreUnavailable, TaskExists
from roo_code.events import (
    ContextCondensed,
    Event,
    EventRecord,
    MessageAdded,
    ModeSwitched,
    QuestionAnswered,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SideRequestEnded,
    SpecChanged,
    SubtaskEnded,
    TaskCreated,
    TaskSpec,
    ToolStarted,
    TurnStarted,
)
from roo_code.messages import Message, Usage
from roo_code.task import ledger
from roo_code.task.store import TaskQuery, TaskStatus, TaskSummary

_TITLE_LENGTH = 120
_SUMMARY_COLUMNS = ", ".join(TaskSummary.__struct_fields__)


@cache
def _event_types() -> dict[str, type[Event]]:
    """By name: a log is read without building what it does not hold."""
    members: tuple[type[Event], ...] = get_args(Event)
    return {str(member.__struct_config__.tag): member for member in members}


def _event(type_name: str, body: str) -> Event:
    kind = _event_types().get(type_name)
    if kind is None:
        raise StoreUnavailable(
            f"The log holds an event of an unknown kind, {type_name!r}.",
            hint="It was written by a newer version of Roo Code: upgrade this one.",
        )
    return kind.from_json(body)


def create(db: sqlite3.Connection, task_id: str, spec: TaskSpec, now: float) -> None:
    """Store the task and its first event, unless a start with the same words was here before."""
    row = db.execute("SELECT body FROM events WHERE task_id = ? AND seq = 1", (task_id,)).fetchone()
    created = TaskCreated(spec=spec)
    if row is not None:
        if TaskCreated.from_json(row[0]) == created:
            return
        raise TaskExists(task_id)
    parent_id = spec.parent.task_id if spec.parent else None
    db.execute(
        "INSERT INTO tasks (id, title, status, workspace, mode, provider, model, parent_id,"
        " created_at, updated_at, last_seq) VALUES (?, ?, 'created', ?, ?, ?, ?, ?, ?, ?, 0)",
        (task_id, _title(spec.prompt), *_shown_spec(spec), parent_id, now, now),
    )
    ledger.open_budget(db, task_id, parent_id, spec.limits)
    record = EventRecord(task_id=task_id, seq=1, at=datetime.fromtimestamp(now, UTC), event=created)
    append(db, task_id, [record])


def _title(prompt: str) -> str:
    first_line = next((line.strip() for line in prompt[:4096].splitlines() if line.strip()), "")
    return first_line[:_TITLE_LENGTH]


def _shown_spec(spec: TaskSpec) -> tuple[str, str, str, str]:
    provider = str(spec.provider.get("api_provider", ""))
    return spec.workspace, spec.mode, provider, str(spec.provider.get("api_model_id", ""))


def append(db: sqlite3.Connection, task_id: str, records: Sequence[EventRecord]) -> None:
    for record in records:
        event = record.event
        at = record.at.timestamp()
        _index(db, task_id, event)
        db.execute(
            "INSERT INTO events (task_id, seq, at, type, body) VALUES (?, ?, ?, ?, ?)",
            (task_id, record.seq, at, event.type, event.to_json()),
        )
        db.execute(
            "UPDATE tasks SET last_seq = ?, updated_at = ?, status = coalesce(?, status)"
            " WHERE id = ?",
            (record.seq, at, _status(event), task_id),
        )


def _status(event: Event) -> TaskStatus | None:
    match event:
        case RunParked():
            return "parked"
        case RunCompleted():
            return "completed"
        case RunFailed():
            return "failed"
        case RunCancelled():
            return "cancelled"
        case TurnStarted() | ToolStarted() | MessageAdded() | QuestionAnswered() | SubtaskEnded():
            return "running"
        case _:
            return None


def _index(db: sqlite3.Connection, task_id: str, event: Event) -> None:
    match event:
        case TurnStarted():
            db.execute("UPDATE tasks SET turns = turns + 1 WHERE id = ?", (task_id,))
        case (
            MessageAdded(message=Message(usage=Usage() as usage))
            | ContextCondensed(usage=Usage() as usage)
            | SideRequestEnded(usage=Usage() as usage)
        ):
            tokens_in = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
            db.execute(
                "UPDATE tasks SET tokens_in = tokens_in + ?, tokens_out = tokens_out + ?,"
                " cost = cost + ? WHERE id = ?",
                (tokens_in, usage.output_tokens, usage.cost or 0, task_id),
            )
        case ModeSwitched(mode=mode):
            db.execute("UPDATE tasks SET mode = ? WHERE id = ?", (mode, task_id))
        case SpecChanged(spec=changed):
            former = spec(db, task_id)
            workspace, mode, provider, model = _shown_spec(changed)
            db.execute(
                "UPDATE tasks SET workspace = ?, provider = ?, model = ? WHERE id = ?",
                (workspace, provider, model, task_id),
            )
            if former is None or former.mode != mode:  # else it stays in the one it switched to
                db.execute("UPDATE tasks SET mode = ? WHERE id = ?", (mode, task_id))
            ledger.set_limits(db, task_id, changed.limits)
        case _:
            pass


def read(db: sqlite3.Connection, task_id: str, after: int, limit: int) -> list[EventRecord]:
    rows = db.execute(
        "SELECT seq, at, type, body FROM events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (task_id, after, limit),
    )
    return [_record(task_id, row) for row in rows]


def tail(db: sqlite3.Connection, task_id: str, limit: int) -> list[EventRecord]:
    rows = db.execute(
        "SELECT seq, at, type, body FROM events WHERE task_id = ? ORDER BY seq DESC LIMIT ?",
        (task_id, limit),
    ).fetchall()
    return [_record(task_id, row) for row in reversed(rows)]


def _record(task_id: str, row: tuple[int, float, str, str]) -> EventRecord:
    seq, at, type_name, body = row
    event = _event(type_name, body)
    return EventRecord(task_id=task_id, seq=seq, at=datetime.fromtimestamp(at, UTC), event=event)


def summary(db: sqlite3.Connection, task_id: str) -> TaskSummary | None:
    row = db.execute(f"SELECT {_SUMMARY_COLUMNS} FROM tasks WHERE id = ?", (task_id,)).fetchone()
    return _summary(row) if row else None


def summaries(db: sqlite3.Connection, query: TaskQuery) -> list[TaskSummary]:
    conditions = ["1"] if query.subtasks else ["parent_id IS NULL"]
    values: list[object] = []
    for column, sign, value in (
        ("workspace", "=", query.workspace),
        ("status", "=", query.status),
        ("parent_id", "=", query.parent),
    ):
        if value is not None:
            conditions.append(f"{column} {sign} ?")
            values.append(value)
    if query.before is not None:
        conditions.append("(updated_at, id) < (?, ?)")
        values += [query.before.updated_at, query.before.id]
    rows = db.execute(
        f"SELECT {_SUMMARY_COLUMNS} FROM tasks WHERE {' AND '.join(conditions)}"
        " ORDER BY updated_at DESC, id DESC LIMIT ?",
        (*values, query.limit),
    )
    return [_summary(row) for row in rows]


def _summary(row: tuple[Any, ...]) -> TaskSummary:
    return TaskSummary(**dict(zip(TaskSummary.__struct_fields__, row, strict=True)))


def changed_since(db: sqlite3.Connection, at: float) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM tasks WHERE updated_at > ?", (at,))]


def ids(db: sqlite3.Connection, prefix: str, limit: int) -> list[str]:
    """A range, so that the index finds them however many tasks there are."""
    rows = db.execute(
        "SELECT id FROM tasks WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?",
        (prefix, prefix + "\U0010ffff", limit),
    )
    return [row[0] for row in rows]


def spec(db: sqlite3.Connection, task_id: str) -> TaskSpec | None:
    row = db.execute(
        "SELECT type, body FROM events"
        " WHERE task_id = ? AND type IN ('task_created', 'spec_changed')"
        " ORDER BY seq DESC LIMIT 1",
        (task_id,),
    ).fetchone()
    event = _event(*row) if row else None
    return event.spec if isinstance(event, TaskCreated | SpecChanged) else None


def delete(db: sqlite3.Connection, task_id: str) -> None:
    """The task and every task below it."""
    below = db.execute(
        "WITH RECURSIVE down (id) AS (SELECT ? UNION"
        " SELECT tasks.id FROM tasks JOIN down ON parent_id = down.id) SELECT id FROM down",
        (task_id,),
    ).fetchall()
    for table, column in (
        ("events", "task_id"),
        ("commands", "task_id"),
        ("leases", "task_id"),
        ("budgets", "task_id"),
        ("reservations", "holder"),
        ("tasks", "id"),
    ):
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", below)
