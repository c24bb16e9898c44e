"""start: how soon a command answers, and how soon the model hears of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.contenders import CODEX, CODEX_BINARY, ROO, Contender, Unavailable
from benchmarks.endpoint import Endpoint
from benchmarks.headless import measure_all
from benchmarks.places import OUR_BIN, clean_environment, scratch
from benchmarks.process import CommandFailed, run
from benchmarks.report import Column, Table

_VERSION_ROUNDS = 15
_ROUNDS = 9
_FLOOR = "python -c pass"


def measure(endpoint: Endpoint) -> list[Table]:
    return [_versions(), _first_requests(endpoint)]


def _versions() -> Table:
    table = Table(
        "start: the shortest command",
        (Column("command", "command"), Column("ms", "ms", 1), Column("ratio", f"/ {_FLOOR}")),
        notes=[f"median of {_VERSION_ROUNDS} after one warm-up"],
    )
    commands: dict[str, Sequence[str | Path]] = {
        _FLOOR: (OUR_BIN / "python", "-c", "pass"),
        "roo --version": (OUR_BIN / "roo", "--version"),
    }
    for contender in (CODEX, CODEX_BINARY):
        name = f"{contender.name} --version"
        try:
            commands[name] = (_executable(contender), "--version")
        except Unavailable as error:
            table.notes.append(f"{name} was not measured: {error}")
    times: dict[str, list[float]] = {name: [] for name in commands}
    with scratch() as folder:
        for _ in range(_VERSION_ROUNDS + 1):
            for name, command in commands.items():
                try:
                    done = run(command, cwd=folder, env=clean_environment())
                except CommandFailed as error:
                    table.notes.append(f"{name} failed: {error}")
                else:
                    times[name].append(done.seconds * 1000)
    for name, taken in times.items():
        table.add(name, ms=median(taken[1:]) if len(taken) > 1 else None)
    table.add_ratio("ratio", "ms", _FLOOR)
    return table


def _executable(contender: Contender) -> str | Path:
    contender.prepare()
    return contender.launch("", Path()).command[0]


def _first_requests(endpoint: Endpoint) -> Table:
    table = Table(
        "start: from the command to the first byte of the first request",
        (
            Column("agent", "agent"),
            Column("first", "to first request s", 3),
            Column("ratio", "/ codex"),
        ),
        notes=[f"median of {_ROUNDS} after one warm-up"],
    )
    for entry in measure_all((ROO, CODEX, CODEX_BINARY), endpoint, rounds=_ROUNDS):
        table.add(entry.contender.name, first=entry.middle(lambda s: s.to_first_request))
        if entry.reason:
            table.notes.append(f"{entry.contender.name} was not measured: {entry.reason}")
    table.add_ratio("ratio", "first", CODEX.name)
    return table
