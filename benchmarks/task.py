"""task: one headless task of two turns, from the start of the process to its exit."""

from __future__ import annotations

from benchmarks.contenders import CODEX, CODEX_BINARY, MINI, PYDANTIC_AI, ROO
from benchmarks.endpoint import Endpoint
from benchmarks.headless import measure_all
from benchmarks.report import Column, Table

_ROUNDS = 5
_MEMORY_ROUNDS = 3


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "task: write a file, finish; wall time without the model's",
        (
            Column("agent", "agent"),
            Column("overhead", "overhead s", 3),
            Column("ratio", "/ codex"),
            Column("first", "to first request s", 3),
            Column("peak", "peak MB", 1),
            Column("memory_ratio", "/ codex"),
            Column("request", "first request KB", 1),
        ),
        notes=[f"median of {_ROUNDS} after one warm-up, memory of {_MEMORY_ROUNDS} more"],
    )
    contenders = (ROO, CODEX, CODEX_BINARY, MINI, PYDANTIC_AI)
    for entry in measure_all(contenders, endpoint, rounds=_ROUNDS, memory_rounds=_MEMORY_ROUNDS):
        name = entry.contender.name
        request = entry.middle(lambda s: s.request_bytes)
        table.add(
            name,
            overhead=entry.middle(lambda s: s.overhead),
            first=entry.middle(lambda s: s.to_first_request),
            peak=entry.memory(),
            request=request / 1000 if request else None,
        )
        if entry.reason:
            table.notes.append(f"{name} was not measured: {entry.reason}")
    table.add_ratio("ratio", "overhead", CODEX.name)
    table.add_ratio("memory_ratio", "peak", CODEX.name)
    return [table]
