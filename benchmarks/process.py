"""Run a command and see how long it took and how much memory its whole tree held."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

_SAMPLE_SECONDS = 0.004
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


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
    """Raises CommandFailed if the exit code is not 0 or the time is up.

    Sampling slows the process down: take times and memory in different runs.
    """
    with TemporaryFile() as output:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        killer = threading.Timer(timeout, _kill_group, (process.pid,))
        killer.start()
        try:
            peak = _sample(process.pid) if sample else 0
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - started
        finally:
            killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if process.returncode:
        last_words = " ".join(text.split())[-300:]
        raise CommandFailed(f"exit code {process.returncode}: {last_words}")
    return Finished(started, seconds, peak or usage.ru_maxrss * _RSS_UNIT, text)


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _sample(pid: int) -> int:
    """The most memory the tree held for three samples on end; returns when its root has ended.

    One sample alone may be wrong: a child that is about to start its program still shows all of
    its parent's memory as its own.
    """
    peak = 0
    last: deque[int] = deque(maxlen=3)
    while not _has_ended(pid):
        last.append(tree_bytes(pid))
        peak = max(peak, min(last))
        time.sleep(_SAMPLE_SECONDS)
    return peak


def _has_ended(pid: int) -> bool:
    """Ended, but left for `wait4` to collect, which knows the resources used."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def tree_bytes(pid: int) -> int:
    """Shared pages count by their share, so that a sum over processes is what they really use."""
    return sum(_proportional_bytes(process) for process in _tree(pid))


def _tree(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield from _tree(int(child))


def _proportional_bytes(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:  # ended meanwhile, or no such system
        return 0
    for line in rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def own_bytes() -> int:
    """What this process holds now, in memory that is its own or shared."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    return pages * resource.getpagesize()
