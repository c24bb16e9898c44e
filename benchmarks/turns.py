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

_SHORT, _SHORT_RUNS = 10, 3
_LONG, _LONG_RUNS = 300, 1
_ROUNDS = 3


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
        Library(
            "floor: bare socket, as many bytes", (sys.executable, "-m", "benchmarks.bare_turns")
        ),
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
            f"means over a conversation; median of {_ROUNDS * _SHORT_RUNS} short and "
            f"{_ROUNDS * _LONG_RUNS} long ones in {_ROUNDS} processes, after a warm-up in each",
        ],
    )
    held = [Held(library) for library in _libraries()]
    for _ in range(_ROUNDS):  # in turn, so that what else the machine does meets all alike
        for entry in held:
            entry.hold(endpoint)
    for entry in held:
        table.add(entry.library.name, **entry.figures())
        if entry.reason:
            table.notes.append(f"{entry.library.name} was not measured: {entry.reason}")
    return [table]


@dataclass
class Held:
    """The conversations of one library, as the model saw them."""

    library: Library
    short: list[list[Mark]] = field(default_factory=list[list[Mark]])
    long: list[list[Mark]] = field(default_factory=list[list[Mark]])
    reason: str = ""

    def hold(self, endpoint: Endpoint) -> None:
        if self.reason:
            return
        script = self.library.script
        warm_up = endpoint.new_run(script, _SHORT)
        short = [endpoint.new_run(script, _SHORT) for _ in range(_SHORT_RUNS)]
        long = [endpoint.new_run(script, _LONG) for _ in range(_LONG_RUNS)]
        urls = [model.url for model in (warm_up, *short, *long)]
        try:
            if self.library.is_peer:
                need_peers()
            run((*self.library.command, *urls), cwd=ROOT, env=self.library.env, timeout=600)
            self.short += [_marks(model) for model in short]
            self.long += [_marks(model) for model in long]
        except (Unavailable, CommandFailed, OSError) as error:
            self.reason = str(error)

    def figures(self) -> dict[str, float]:
        if self.reason:
            return {}
        short = median(mean(_gaps(marks)) for marks in self.short)
        long = median(mean(_gaps(marks)) for marks in self.long)
        return {
            "short": short,
            "long": long,
            "growth": long / short,
            "last": median(mean(_gaps(marks)[-_SHORT:]) for marks in self.long),
            "short_kb": mean(mark.size for mark in self.short[0]) / 1000,
            "long_kb": mean(mark.size for mark in self.long[0]) / 1000,
        }


def _marks(model: ModelRun) -> list[Mark]:
    marks = model.marks()
    if len(marks) != model.turns + 1:
        raise CommandFailed(f"{len(marks)} model calls instead of {model.turns + 1}")
    return marks


def _gaps(marks: Sequence[Mark]) -> list[float]:
    """From the end of each reply to the end of the next request, in milliseconds."""
    return [(after.complete - before.replied) * 1000 for before, after in pairwise(marks)]
