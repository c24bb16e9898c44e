"""commands: what execute_command costs over a bare subprocess."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.builtin_tools.execute_command import ExecuteCommand, ExecuteCommandInput
from roo_code.redaction import Redactor
from roo_code.task.artifacts import TaskArtifacts
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

_ROUNDS = 200
_LARGE_ROUNDS = 5
_LARGE = "yes 'a line of output of some length that is like many others' | head -c 200000000"
_COLUMNS = (Column("how", "how"), Column("ms", "ms", 2), Column("ratio", "/ floor"))
_FLOOR = "asyncio.create_subprocess_exec"


def measure(endpoint: Endpoint) -> list[Table]:
    with scratch() as folder:
        return asyncio.run(_tables(folder))


async def _tables(folder: Path) -> list[Table]:
    context = ToolContext(
        workspace=Workspace(folder),
        artifacts=TaskArtifacts(folder / "artifacts"),
        hide=Redactor(["sk-benchmark-0123456789"]),
    )
    start = Table("commands: from call to result of `true`", _COLUMNS)
    start.notes.append(f"median of {_ROUNDS} in turn; the same shell in a session of its own")
    small = {
        _FLOOR: lambda: _bare("true", folder),
        "execute_command": lambda: _tool(context, "true"),
        "execute_command on a terminal": lambda: _tool(context, "true", terminal=True),
    }
    await _compare(start, small, _ROUNDS)
    large = Table("commands: 200 MB of output", _COLUMNS)
    large.notes.append(f"median of {_LARGE_ROUNDS}; ours hides the key, folds and keeps it all")
    floor = f"{_FLOOR}, read and written to a file"
    piped = {
        floor: lambda: _copied(_LARGE, folder),
        "execute_command": lambda: _tool(context, _LARGE),
    }
    await _compare(large, piped, _LARGE_ROUNDS)
    await context.resources.aclose()
    return [start, large]


async def _compare(
    table: Table, ways: Mapping[str, Callable[[], Awaitable[None]]], rounds: int
) -> None:
    """In turn, not one after the other: what else the machine does meets all of them."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, run in ways.items():
            began = time.perf_counter()
            await run()
            times[name].append((time.perf_counter() - began) * 1000)
    for name, measured in times.items():
        table.add(name, ms=median(measured[1:]))
    table.add_ratio("ratio", "ms", next(iter(ways)))


async def _tool(context: ToolContext, command: str, *, terminal: bool = False) -> None:
    arguments = ExecuteCommandInput(command=command, terminal=terminal)
    outcome = await ExecuteCommand().execute(arguments, context)
    assert "Exit code: 0" in outcome.content
    if context.artifacts is not None:
        for file in context.artifacts.path("x").parent.iterdir():
            file.unlink()


async def _bare(command: str, folder: Path) -> None:
    process = await _start(command, folder)
    await process.communicate()


async def _copied(command: str, folder: Path) -> None:
    process = await _start(command, folder)
    assert process.stdout is not None
    with (folder / "copy").open("wb") as file:
        while data := await process.stdout.read(1 << 16):
            file.write(data)
    await process.wait()
    (folder / "copy").unlink()


async def _start(command: str, folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        "/bin/bash",
        "-c",
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=dict(os.environ),
        start_new_session=True,
    )
