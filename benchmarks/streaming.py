"""streaming: CPU time from the socket to an event, and many streams in one process."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.contenders import Unavailable, need_peers
from benchmarks.endpoint import Endpoint
from benchmarks.places import PEER_BIN, ROOT, clean_environment
from benchmarks.process import CommandFailed, run
from benchmarks.report import Column, Table
from benchmarks.stream_server import Pace, stream_server

_DELTAS, _ROUNDS, _TURNS = 5_000, 3, 2
_GATHERED = 16
_STREAMS = (1, 50, 200)
_PACE = Pace(deltas=250, pause=20)
_FORMATS = {
    "anthropic": "Messages",
    "openai": "chat",
    "responses": "Responses",
    "gemini": "Gemini",
    "bedrock": "Converse",
    "ollama": "Ollama",
}


@dataclass
class Reader:
    """A program that reads streams, as many after one another as it is told."""

    name: str
    command: tuple[str | Path, ...]
    formats: Sequence[str] = tuple(_FORMATS)
    is_peer: bool = False
    taken: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Microseconds of CPU time a delta, by format."""
    reason: str = ""

    def read(self, format: str, pace: Pace, port: int) -> None:
        if self.reason or format not in self.formats:
            return
        try:
            if self.is_peer:
                need_peers()
            found = _run((*self.command, pace.address(port), pace.deltas, _ROUNDS, format))
            self.taken.setdefault(format, []).extend(found)
        except (Unavailable, CommandFailed, OSError) as error:
            self.reason = str(error)

    def middle(self) -> dict[str, float]:
        return {format: median(taken) for format, taken in self.taken.items()}


def measure(endpoint: Endpoint) -> list[Table]:
    with stream_server() as port:
        return [_one_by_one(port), _gathered(port), _many(port)]


def _one_by_one(port: int) -> Table:
    table = _table("streaming: CPU microseconds a delta, each in a chunk of HTTP by itself")
    peers = [
        Reader("official library", (sys.executable, "-m", "benchmarks.peers.sdk_streams")),
        _peer("litellm", "litellm_streams", ("openai",)),
        _peer(
            "pydantic-ai",
            "pydantic_ai_streams",
            ("anthropic", "openai", "responses", "gemini"),
        ),
    ]
    floor, ours, events = _floor_and_ours()
    _compare(table, [floor, ours, events, *peers], Pace(_DELTAS), port)
    _add_ratio(table, "roo: provider / floor", ours, floor)
    _add_ratio(table, "official library / roo: provider", peers[0], ours)
    table.notes += [
        f"median of {_ROUNDS * _TURNS} streams of {_DELTAS:,} deltas, about 4 characters each, "
        f"in {_TURNS} processes, after a warm-up in each",
        "floor: httpx2 reads, the same JSON parser decodes, nothing is made of it; "
        "h11 under it takes most of the time",
    ]
    return table


def _gathered(port: int) -> Table:
    table = _table(f"streaming: the same with {_GATHERED} events in a chunk, as some proxies send")
    floor, ours, events = _floor_and_ours()
    _compare(table, [floor, ours, events], Pace(_DELTAS, _GATHERED), port)
    _add_ratio(table, "roo: provider / floor", ours, floor)
    _add_ratio(table, "roo: agent / floor", events, floor)
    return table


def _many(port: int) -> Table:
    table = Table(
        f"streaming: many at once in one process, one delta every {_PACE.pause} ms in each",
        (
            Column("how", "how"),
            Column("cpu_ms", "CPU ms a stream", 1),
            Column("cpu_us", "CPU us a delta", 1),
            Column("late_p50", "ms late, median"),
            Column("late_p99", "p99"),
            Column("gap_p99", "ms apart, p99"),
            Column("gap_max", "most"),
        ),
        notes=[
            f"OpenAI chat, {_PACE.deltas} deltas a stream; late: from the server's write to the "
            "event; the server, in Python too, runs on the same machine",
        ],
    )
    for who, name in (("ours", "roo"), ("bare", "floor")):
        for streams in _STREAMS:
            command = (sys.executable, "-m", "benchmarks.many_streams", who)
            found = _run((*command, _PACE.address(port), streams))
            table.add(f"{name}, {streams} stream{'s' * (streams > 1)}", **found)
    return table


def _floor_and_ours() -> tuple[Reader, Reader, Reader]:
    ours = (sys.executable, "-m", "benchmarks.our_streams")
    return (
        Reader("floor: httpx2 + JSON", (sys.executable, "-m", "benchmarks.bare_streams")),
        Reader("roo: provider", (*ours, "chunks")),
        Reader("roo: agent, its events", (*ours, "events")),
    )


def _peer(name: str, module: str, formats: Sequence[str]) -> Reader:
    command = (PEER_BIN / "python", "-m", f"benchmarks.peers.{module}")
    return Reader(name, command, formats, is_peer=True)


def _compare(table: Table, readers: Sequence[Reader], pace: Pace, port: int) -> None:
    """In turns, so that what else the machine does falls on all alike."""
    for _ in range(_TURNS):
        for format in _FORMATS:
            for reader in readers:
                reader.read(format, pace, port)
    for reader in readers:
        table.add(reader.name, **reader.middle())
        if reader.reason:
            table.notes.append(f"{reader.name} was not measured: {reader.reason}")


def _add_ratio(table: Table, name: str, above: Reader, below: Reader) -> None:
    figures, others = above.middle(), below.middle()
    both = figures.keys() & others.keys()
    table.add(name, **{format: figures[format] / others[format] for format in both})


def _table(title: str) -> Table:
    columns = [Column(format, title) for format, title in _FORMATS.items()]
    return Table(title, (Column("reader", "reader"), *columns))


def _run(command: Sequence[str | Path | int]) -> Any:
    environment = clean_environment(LITELLM_LOCAL_MODEL_COST_MAP="True")
    done = run([str(part) for part in command], cwd=ROOT, env=environment, timeout=300)
    return json.loads(done.output.splitlines()[-1])
