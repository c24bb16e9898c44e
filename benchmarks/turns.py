"""turns: what a turn costs besides the model, in a short and in a long conversation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from benchmarks.contenders import Unavailable, mini_environment, need_peers
from benchmarks.endpoint import Endpoint, ModelRun
from benchmarks.places import PEER_BIN, PEERS, ROOT, clean_environment
from benchmarks.process import CommandFailed, run
from benchmarks.report import Column, Table
from benchmarks.server import Mark

_SHORT, _SHORT_ROUNDS = 10, 9
_LONG, _LONG_ROUNDS = 300, 3


@dataclass(frozen=True)
class Library:
    """A program that holds the conversations whose addresses it is given, one after another."""

    name: str
    command: tuple[str | Path, ...]
    script: str = "turns"
    env: dict[str, str] = field(default_factory=clean_environment)
    is_peer: bool = False


def _libraries() -> list[Library]:
    ours: tuple[str | Path, ...] = (sys.executable, "-m", "benchmarks.our_turns")
    return [
        Library("roo: Agent", (*ours, "agent")),
        Library("roo: TaskHost, stored", (*ours, "host")),
        Library(
            "mini-swe-agent: DefaultAgent",
            (PEER_BIN / "python", PEERS / "mini_turns.py"),
            "turns-mini",
            mini_environment(),
            is_peer=True,
        ),
        Library(
            "pydantic-ai: Agent",
            (PEER_BIN / "python", PEERS / "pydantic_ai_turns.py"),
            is_peer=True,
        ),
    ]


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "turns: milliseconds per turn besides the model's, one trivial tool call each",
        (
            Column("library", "library"),
            Column("short", f"ms at {_SHORT} turns"),
            Column("long", f"ms at {_LONG} turns"),
            Column("growth", f"{_LONG} / {_SHORT}"),
            Column("last", f"ms of the last {_SHORT} of {_LONG}"),
            Column("short_kb", f"KB sent per turn at {_SHORT}", 1),
            Column("long_kb", f"at {_LONG}", 1),
        ),
        notes=[
            f"means over a conversation; median of {_SHORT_ROUNDS} short and {_LONG_ROUNDS} long "
            "ones after a warm-up in the same process",
        ],
    )
    for library in _libraries():
        try:
            table.add(library.name, **_figures(library, endpoint))
        except (Unavailable, CommandFailed, OSError) as error:
            table.add(library.name)
            table.notes.append(f"{library.name} was not measured: {error}")
    return [table]


def _figures(library: Library, endpoint: Endpoint) -> dict[str, float]:
    if library.is_peer:
        need_peers()
    warm_up = endpoint.new_run(library.script, _SHORT)
    short = [endpoint.new_run(library.script, _SHORT) for _ in range(_SHORT_ROUNDS)]
    long = [endpoint.new_run(library.script, _LONG) for _ in range(_LONG_ROUNDS)]
    urls = [model.url for model in (warm_up, *short, *long)]
    run((*library.command, *urls), cwd=ROOT, env=library.env, timeout=600)
    short_marks, long_marks = [_marks(m) for m in short], [_marks(m) for m in long]
    short_ms = median(mean(_gaps(marks)) for marks in short_marks)
    long_ms = median(mean(_gaps(marks)) for marks in long_marks)
    return {
        "short": short_ms,
        "long": long_ms,
        "growth": long_ms / short_ms,
        "last": median(mean(_gaps(marks)[-_SHORT:]) for marks in long_marks),
        "short_kb": mean(mark.size for mark in short_marks[0]) / 1000,
        "long_kb": mean(mark.size for mark in long_marks[0]) / 1000,
    }


def _marks(model: ModelRun) -> list[Mark]:
    marks = model.marks()
    if len(marks) != model.turns + 1:
        raise CommandFailed(f"{len(marks)} model calls instead of {model.turns + 1}")
    return marks


def _gaps(marks: Sequence[Mark]) -> list[float]:
    """From the end of each reply to the end of the next request, in milliseconds."""
    return [(after.complete - before.replied) * 1000 for before, after in pairwise(marks)]
