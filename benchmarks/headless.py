"""One headless run of a contender on the scripted model, checked and timed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.contenders import Contender, Unavailable
from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.process import CommandFailed, run
from benchmarks.script import FILE, TEXT


@dataclass(frozen=True)
class Sample:
    wall: float
    overhead: float
    """Wall time without what the model took."""
    to_first_request: float
    """From the start of the process to the first byte at the model's door."""
    peak_bytes: int
    request_bytes: int


def run_once(contender: Contender, endpoint: Endpoint, *, sample: bool = False) -> Sample:
    """Raises CommandFailed also where the run ends well but did not do the task."""
    model = endpoint.new_run(contender.script)
    with scratch() as workspace:
        launch = contender.launch(model.url, workspace)
        done = run(launch.command, cwd=workspace, env=launch.env, sample=sample)
        written = workspace / FILE
        if not written.exists() or written.read_text(encoding="utf-8").strip() != TEXT.strip():
            raise CommandFailed(f"the file was not written: {' '.join(done.output.split())[-300:]}")
    marks = model.marks()
    if len(marks) != 2:
        raise CommandFailed(f"{len(marks)} model calls instead of 2")
    return Sample(
        wall=done.seconds,
        overhead=done.seconds - sum(mark.replied - mark.complete for mark in marks),
        to_first_request=marks[0].arrived - done.started,
        peak_bytes=done.peak_bytes,
        request_bytes=marks[0].size,
    )


@dataclass
class Measured:
    """The samples of one contender, or the reason why there are none."""

    contender: Contender
    timed: list[Sample]
    sampled: list[Sample]
    reason: str = ""

    def middle(self, of: Callable[[Sample], float]) -> float | None:
        return median(of(s) for s in self.timed) if self.timed and not self.reason else None

    def memory(self) -> float | None:
        if not self.sampled or self.reason:
            return None
        return median(sample.peak_bytes for sample in self.sampled) / 1e6


def measure_all(
    contenders: Sequence[Contender], endpoint: Endpoint, *, rounds: int, memory_rounds: int = 0
) -> list[Measured]:
    """Contenders take turns, so that what else the machine does meets all of them alike."""
    measured = [Measured(contender, [], []) for contender in contenders]
    for entry in measured:
        _attempt(entry, entry.contender.prepare)
    for number in range(-1, rounds + memory_rounds):
        for entry in measured:
            _show(f"round {number + 1} of {rounds + memory_rounds}: {entry.contender.name}")
            _attempt(entry, lambda e=entry, n=number: _round(e, endpoint, n, rounds))
    _show("")
    return measured


def _round(entry: Measured, endpoint: Endpoint, number: int, rounds: int) -> None:
    sample = run_once(entry.contender, endpoint, sample=number >= rounds)
    if number >= rounds:
        entry.sampled.append(sample)
    elif number >= 0:  # the one before is the warm-up
        entry.timed.append(sample)


def _attempt(entry: Measured, step: Callable[[], None]) -> None:
    if entry.reason:
        return
    try:
        step()
    except (Unavailable, CommandFailed, OSError) as error:
        entry.reason = str(error)


def _show(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
