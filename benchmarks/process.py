"""Run a command and see how long it took and how much memory its whole tree held."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

_SAMPLE_SECONDS = 0.004


class CommandFailed(Exception):
    """A measured command did not do what it was to do; the text says why."""


@dataclass(frozen=True)
class Finished:
    started: float
    seconds: float
    peak_bytes: int
    """Proportional memory of the tree if sampled, else the largest resident set of one process."""
    output: str


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    sample: bool = False,
    timeout: float = 120,
) -> Finished:
    """Raises CommandFailed for an exit code or a time that is not as it should be.

    Sampling slows the process down a little: take times and memory in different runs.
    """
    with TemporaryFile() as output:
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        peak = _sample_until_exit(process.pid, started + timeout) if sample else 0
        try:
            _, status, usage = _wait(process, started + timeout)
        finally:
            seconds = time.monotonic() - started
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if code := os.waitstatus_to_exitcode(status):
        raise CommandFailed(f"exit code {code}: {' '.join(text.split())[-300:]}")
    return Finished(started, seconds, peak or usage.ru_maxrss * 1024, text)


