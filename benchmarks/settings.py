"""settings: what it takes to know all settings, against reading the same files as they are."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.config.layers import LayeredSettings

_ROUNDS = 200
_FLOOR = "json.loads of the two files"
_GLOBAL = {"approve": "auto", "allowedCommands": ["git diff", "pytest"], "apiProvider": "anthropic"}
_PROJECT = {"deniedCommands": ["git push"], "consecutiveMistakeLimit": 5}


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "settings: resolving all layers",
        (
            Column("how", "how"),
            Column("us", "us", 1),
            Column("ratio", f"/ {_FLOOR}", 1),
        ),
        notes=[
            f"median of {_ROUNDS}; cold: a new reader each time; warm: nothing has changed",
            "every value is typed, traced to file and line, and substituted",
        ],
    )
    with scratch() as folder:
        home, workspace = folder / "home", folder / "project"
        files = (home / "settings" / "settings.json", workspace / ".roo" / "settings.json")
        for file in files:
            file.parent.mkdir(parents=True)
        table.add("no file, cold", us=_cold(home, workspace))
        for file, content in zip(files, (_GLOBAL, _PROJECT), strict=True):
            file.write_text(json.dumps(content, indent=2), encoding="utf-8")
        table.add(_FLOOR, us=_time(lambda: [json.loads(file.read_bytes()) for file in files]))
        table.add("two files, cold", us=_cold(home, workspace))
        layers = LayeredSettings(workspace, home=home, environ={})
        table.add("two files, warm", us=_time(layers.resolve))
    table.add_ratio("ratio", "us", _FLOOR)
    return [table]


def _cold(home: Path, workspace: Path) -> float:
    return _time(lambda: LayeredSettings(workspace, home=home, environ={}).resolve())


def _time(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(_ROUNDS + 1):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken[1:]) * 1e6
