"""policy: how long the judge of shell lines takes, a decision."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import ROOT, scratch
from benchmarks.report import Column, Table
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.parse import parse_line
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace

_ROUNDS = 5
_RULES = ShellRules(("git log", "git diff", "git show"), ("rm", "git push"), "developer")
_LINES = {
    "one command": ["git log --oneline -5"],
    "a pipeline": ["git diff --stat HEAD~3 -- src | grep -v test | head -20 > out.txt 2>&1"],
}


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "policy: one decision on a shell line",
        (
            Column("lines", "lines"),
            Column("count", "of them", 0),
            Column("us", "us a decision", 0),
            Column("parse", "us of it parsing", 0),
        ),
        notes=[f"median of {_ROUNDS} rounds; developer profile with short lists; grammar loaded"],
    )
    with scratch() as folder:
        started = time.perf_counter()
        judge("ls", _RULES, Places(Workspace(folder)))
        first = (time.perf_counter() - started) * 1000
        corpora = {name: _corpus(name) for name in ("everyday", "bypasses")}
        for name, lines in {**_LINES, **corpora}.items():
            table.add(name, count=len(lines), us=_decide(lines, folder), parse=_parse(lines))
    table.notes.append(f"the first decision of a process, which loads the grammar: {first:.0f} ms")
    return [table]


def _corpus(name: str) -> list[str]:
    text = (ROOT / "tests" / "policy" / "data" / f"{name}.txt").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if not line.startswith("# ")]


def _decide(lines: list[str], folder: Path) -> float:
    rounds: list[float] = []
    workspace = Workspace(folder)
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        for line in lines:
            judge(line, _RULES, Places(workspace))
        rounds.append((time.perf_counter() - started) / len(lines))
    return median(rounds) * 1e6


def _parse(lines: list[str]) -> float:
    rounds: list[float] = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        for line in lines:
            parse_line(line)
        rounds.append((time.perf_counter() - started) / len(lines))
    return median(rounds) * 1e6
