"""Budgets: reserve before a model call, settle after, in the task and in every task above it."""

from __future__ import annotations

import sqlite3

from roo_code.errors import BudgetExceeded
from roo_code.events import Limits
from roo_code.task.store import Amount

_LIMITS = ("turns", "tokens", "cost", "seconds")


def open_budget(
    db: sqlite3.Connection, task_id: str, parent_id: str | None, limits: Limits
) -> None:
    db.execute(
        "INSERT OR IGNORE INTO budgets (task_id, parent_id) VALUES (?, ?)", (task_id, parent_id)
    )
    set_limits(db, task_id, limits)


def set_limits(db: sqlite3.Connection, task_id: str, limits: Limits) -> None:
    db.execute(
        "UPDATE budgets SET max_turns = ?, max_tokens = ?, max_cost = ?, max_seconds = ?"
        " WHERE task_id = ?",
        (limits.turns, limits.tokens, limits.cost, limits.seconds, task_id),
    )


def _chain(db: sqlite3.Connection, task_id: str) -> list[str]:
    """The task and all above it."""
    rows = db.execute(
        "WITH RECURSIVE up (id) AS (SELECT ? UNION"
        " SELECT parent_id FROM budgets JOIN up ON task_id = id WHERE parent_id IS NOT NULL)"
        " SELECT id FROM up",
        (task_id,),
    )
    return [row[0] for row in rows]


def reserve(db: sqlite3.Connection, task_id: str, ceiling: Amount, sure: Amount) -> int:
    chain = _chain(db, task_id)
    for level in chain:
        _check(db, level)
    reservation: int = db.execute("SELECT coalesce(max(id), 0) + 1 FROM reservations").fetchone()[0]
    db.executemany(
        "INSERT INTO reservations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                reservation,
                level,
                task_id,
                ceiling.turns,
                ceiling.tokens,
                ceiling.cost,
                sure.tokens,
                sure.cost,
            )
            for level in chain
        ],
    )
    return reservation


def _check(db: sqlite3.Connection, task_id: str) -> None:
    row = db.execute(
        "SELECT max_turns, max_tokens, max_cost, max_seconds, turns, tokens, cost, seconds"
        " FROM budgets WHERE task_id = ?",
        (task_id,),
    ).fetchone()
    if row is None or row[:4] == (None, None, None, None):
        return
    held = db.execute(
        "SELECT coalesce(sum(turns), 0), coalesce(sum(tokens), 0), coalesce(sum(cost), 0)"
        " FROM reservations WHERE task_id = ?",
        (task_id,),
    ).fetchone()
    for name, limit, used, reserved in zip(_LIMITS, row[:4], row[4:], (*held, 0), strict=True):
        if limit is not None and used + reserved >= limit:
            raise BudgetExceeded(
                f"The budget of task {task_id!r} is used up: {_shown(name, used + reserved)} of "
                f"{_shown(name, limit)}, what is under way included."
            )


def _shown(name: str, value: float) -> str:
    return f"${value:.4f}" if name == "cost" else f"{value:g} {name}"


def settle(db: sqlite3.Connection, reservation: int, used: Amount) -> None:
    levels = [
        row[0]
        for row in db.execute("SELECT task_id FROM reservations WHERE id = ?", (reservation,))
    ]
    db.execute("DELETE FROM reservations WHERE id = ?", (reservation,))
    _add(db, levels, used)


def settle_abandoned(db: sqlite3.Connection, task_id: str) -> None:
    """What a dead driver had asked for may have been used: count what is sure."""
    rows = db.execute(
        "SELECT id, turns, sure_tokens, sure_cost FROM reservations"
        " WHERE holder = ? AND task_id = ?",
        (task_id, task_id),
    ).fetchall()
    for reservation, turns, tokens, cost in rows:
        settle(db, reservation, Amount(turns=turns, tokens=tokens, cost=cost))


def spend(db: sqlite3.Connection, task_id: str, used: Amount) -> None:
    _add(db, _chain(db, task_id), used)


def _add(db: sqlite3.Connection, levels: list[str], used: Amount) -> None:
    db.executemany(
        "UPDATE budgets SET turns = turns + ?, tokens = tokens + ?, cost = cost + ?,"
        " seconds = seconds + ? WHERE task_id = ?",
        [(used.turns, used.tokens, used.cost, used.seconds, level) for level in levels],
    )


def seconds_left(db: sqlite3.Connection, task_id: str) -> float | None:
    """The least that the task and those above it have left; None is no limit."""
    left: list[float] = []
    for level in _chain(db, task_id):
        row = db.execute(
            "SELECT max_seconds - seconds FROM budgets WHERE task_id = ?", (level,)
        ).fetchone()
        if row and row[0] is not None:
            left.append(row[0])
    return min(left, default=None)
