"""sandbox: what a command in a sandbox costs over a bare one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.sandbox.chosen_sandbox import open_chosen_sandbox
from roo_code.sandbox.detection import find_sandbox, open_sandbox
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.sandbox import Sandbox
from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.processes import ProcessGroup

_ROUNDS = 100
_COLUMNS = (
    Column("how", "how"),
    Column("ms", "ms", 2),
    Column("more", "+ ms", 2),
    Column("least", "least ms", 2),
)
_FLOOR = "bare"


def measure(endpoint: Endpoint) -> list[Table]:
    with scratch() as folder:
        return [_table(folder)]


def _table(folder: Path) -> Table:
    table = Table("sandbox: from start to end of `true` in a shell", _COLUMNS)
    table.notes.append(f"median of {_ROUNDS} in turn, each a ProcessGroup; opened once for a task")
    table.add("the first look for a sandbox", ms=1000 * _timed(lambda: find_sandbox()))
    opening = [_timed(lambda: open_sandbox(SandboxPolicy(), folder).close()) for _ in range(20)]
    table.add("opening and closing one", ms=1000 * median(opening))
    sandbox = open_sandbox(SandboxPolicy(), folder)
    argv, inherited = ["/bin/sh", "-c", "true"], child_environment()

    chosen = open_chosen_sandbox({"sandbox": "auto"}, folder)
    listed = SandboxPolicy(network="listed", hosts=("example.org",))
    opening = [_timed(lambda: open_sandbox(listed, folder).close()) for _ in range(20)]
    table.add("opening and closing one with listed hosts", ms=1000 * median(opening))
    reaching = open_sandbox(listed, folder)

    def confined(opened: Sandbox) -> None:
        command = opened.wrap(argv, cwd=folder, environment=inherited)
        _run(command.argv, folder, command.environment)

    ways: dict[str, Callable[[], None]] = {
        _FLOOR: lambda: _run(tuple(argv), folder, inherited),
        sandbox.name: lambda: confined(sandbox),
        f"{reaching.name}, with listed hosts": lambda: confined(reaching),
        f"{chosen.name}, with the user's toolchains": lambda: confined(chosen),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, run in ways.items():
            times[name].append(_timed(run))
    sandbox.close()
    reaching.close()
    chosen.close()
    floor = median(times[_FLOOR])
    for name, taken in times.items():
        middle = median(taken)
        table.add(name, ms=1000 * middle, more=1000 * (middle - floor), least=1000 * min(taken))
    return table


def _run(argv: tuple[str, ...], folder: Path, environment: dict[str, str]) -> None:
    group = ProcessGroup(argv, cwd=folder, environment=environment)
    while group.read(1 << 16):
        pass
    if group.wait() != 0:
        raise RuntimeError(f"{argv[0]} failed")
    group.close()


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
