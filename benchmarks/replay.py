"""replay: what a turn costs when it is recorded, and when it is played from a recording."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.our_turns import TakeNote
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.events import EventRecord
from roo_code.messages import ToolUseContent
from roo_code.providers.base import BaseProvider
from roo_code.providers.places import Places
from roo_code.providers.replaying import Replay, refuse
from roo_code.providers.run_recorder import RecordedCall, RunRecorder
from roo_code.testing.scripted_provider import Reply, ScriptedProvider
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

_TURNS = (50, 300)
_ROUNDS = 7
_SETTINGS = ProviderSettings(api_provider="scripted", api_model_id="scripted")


@dataclass(frozen=True)
class Played:
    """A conversation to be held: who answers, and who hears of what happens."""

    provider: BaseProvider
    note: Callable[[EventRecord], None] = lambda record: None
    open: AbstractContextManager[object] = field(default_factory=nullcontext[None])


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "replay: milliseconds per turn, one trivial tool call each; no model, nothing stored",
        (
            Column("how", "how"),
            *(Column(f"at_{turns}", f"ms at {turns} turns", 3) for turns in _TURNS),
            *(Column(f"over_{turns}", f"over scripted, {turns}", 3) for turns in _TURNS),
            Column("load", f"loading {_TURNS[-1]} turns, ms", 1),
        ),
        notes=[
            f"median of {_ROUNDS} conversations after a warm-up; loading is apart",
            "replayed: every request held against the recorded one, replies moved to this folder",
        ],
    )
    with scratch() as folder:
        asyncio.run(_fill(table, folder))
    for turns in _TURNS:
        base = table.rows[0][f"at_{turns}"]
        for row in table.rows[1:]:
            mine = row[f"at_{turns}"]
            if isinstance(mine, float) and isinstance(base, float):
                row[f"over_{turns}"] = mine - base
    return [table]


async def _fill(table: Table, folder: Path) -> None:
    then, now = folder / "then", folder / "now"
    then.mkdir()
    now.mkdir()
    numbers = itertools.count()
    loads: list[float] = []

    def scripted(turns: int) -> Played:
        return Played(ScriptedProvider(*_script(turns)))

    def recorded(turns: int) -> Played:
        return _recorded(folder / f"{next(numbers)}.jsonl", now, turns)

    def replayed(turns: int) -> Played:
        began = time.perf_counter()
        replay = Replay(folder / f"then-{turns}.jsonl", speed=0, tell=refuse)
        task = replay.task("t", "", Places.here(now), is_subtask=False)
        loads.append((time.perf_counter() - began) * 1000)
        return Played(task.provider)

    for turns in _TURNS:
        await _hold(_recorded(folder / f"then-{turns}.jsonl", then, turns), then)
    plays = {"scripted": scripted, "scripted and recorded": recorded, "replayed": replayed}
    figures: dict[str, dict[str, float]] = {name: {} for name in plays}
    for turns in _TURNS:
        for name, middle in (await _middles(plays, turns, now)).items():
            figures[name][f"at_{turns}"] = middle
    for name, times in figures.items():
        table.add(name, load=median(loads[-_ROUNDS:]) if name == "replayed" else None, **times)


async def _middles(
    plays: Mapping[str, Callable[[int], Played]], turns: int, workspace: Path
) -> dict[str, float]:
    """In turn, not one after the other: what else the machine does meets all of them."""
    times: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(_ROUNDS + 1):
        for name, play in plays.items():
            times[name].append(await _hold(play(turns), workspace))
    return {name: median(measured[1:]) / turns for name, measured in times.items()}


async def _hold(played: Played, workspace: Path) -> float:
    """Milliseconds of the whole conversation."""
    agent = Agent(
        RooClient(_SETTINGS, provider=played.provider),
        [TakeNote()],
        context=ToolContext(workspace=Workspace(workspace)),
        max_iterations=None,
    )
    with played.open:
        began = time.perf_counter()
        async for event in agent.iter("Take the steps."):
            at = datetime.now(UTC)
            played.note(EventRecord(task_id="t", seq=0, at=at, event=event))
        return (time.perf_counter() - began) * 1000


def _recorded(path: Path, workspace: Path, turns: int) -> Played:
    recorder = RunRecorder(path)
    call = RecordedCall(
        task_id="t", is_subtask=False, settings=_SETTINGS, places=Places.here(workspace)
    )
    provider = recorder.recorded(ScriptedProvider(*_script(turns)), call)
    return Played(provider, recorder.note, closing(recorder))


def _script(turns: int) -> list[Reply]:
    steps = (
        [ToolUseContent(id=f"c{n}", name="take_note", input={"text": f"step {n} " * 20})]
        for n in range(turns - 1)
    )
    return [*steps, "All steps are taken."]
