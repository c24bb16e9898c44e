"""mcp_calls: what the hub adds to a call by the bare SDK, and ten servers started against one."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from mcp import Client, StdioServerParameters

from benchmarks.endpoint import Endpoint
from benchmarks.places import ROOT, scratch
from benchmarks.report import Column, Table
from roo_code.mcp_client.circumstances import Circumstances
from roo_code.mcp_client.hub import HubOptions, McpHub
from roo_code.workspace.child_environment import child_environment

_SERVER = str(ROOT / "tests" / "mcp_client" / "small_server.py")
_CALLS = 500
_STARTS = 7
_FLOOR = "mcp.Client, the bare SDK"
_ONE = "1 server"


def measure(endpoint: Endpoint) -> list[Table]:
    return asyncio.run(_measure())


async def _measure() -> list[Table]:
    with scratch() as folder:
        return [await _calls(folder), await _starts(folder)]


async def _calls(folder: Path) -> Table:
    columns = (Column("how", "how"), Column("us", "us a call", 0), Column("ratio", "/ floor"))
    table = Table("mcp_calls: a call of a server's tool over stdio", columns)
    table.notes.append(f"median of {_CALLS} in turn; the same server, which only says it again")
    hub = _hub(folder, 1)
    servers = await hub.ready(folder)
    given: dict[str, Any] = {"text": "hello"}
    parameters = StdioServerParameters(command=sys.executable, args=[_SERVER])
    async with Client(parameters, mode="legacy") as client:  # as the hub connects
        ways: dict[str, Callable[[], Awaitable[object]]] = {
            _FLOOR: lambda: client.call_tool("echo", given),
            "McpHub: time limit, events, supervision": lambda: servers.call_tool(
                "s0", "echo", given
            ),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(_CALLS):
            for name, call in ways.items():
                times[name].append(await _timed(call()))
    await hub.aclose()
    for name, taken in times.items():
        table.add(name, us=1_000_000 * median(taken))
    table.add_ratio("ratio", "us", _FLOOR)
    return table


async def _starts(folder: Path) -> Table:
    columns = (Column("how", "servers"), Column("ms", "ms", 0), Column("ratio", "/ one"))
    table = Table("mcp_calls: from nothing to all servers connected", columns)
    table.notes.append(f"median of {_STARTS} in turn; the SDK is loaded (once, about 650 ms)")
    times: dict[int, list[float]] = {1: [], 10: []}
    for _ in range(_STARTS):
        for count, taken in times.items():
            hub = _hub(folder, count)
            taken.append(await _timed(hub.ready(folder)))
            connected = [status.condition == "connected" for status in hub.statuses()]
            assert connected == [True] * count
            await hub.aclose()
    table.add(_ONE, ms=1000 * median(times[1]))
    table.add("10 servers", ms=1000 * median(times[10]))
    table.add_ratio("ratio", "ms", _ONE)
    return table


def _hub(folder: Path, count: int) -> McpHub:
    entry = {"command": sys.executable, "args": [_SERVER]}
    named = {"mcpServers": {f"s{number}": entry for number in range(count)}}
    (folder / "mcp-settings.json").write_text(json.dumps(named), encoding="utf-8")
    around = Circumstances(workspace=folder, environment=child_environment)
    return McpHub(HubOptions(around=around, home=folder, is_watching=False))


async def _timed(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started
