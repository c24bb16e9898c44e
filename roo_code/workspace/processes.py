"""Processes that live in a group of their own and end with us, however we end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from roo_code.workspace.process_list import group_exists, living
from roo_code.workspace.reaper import MARK_VARIABLE, Reaper

# The command starts only once the reaper knows of it; if we die before, it never starts.
_GATE = 'read -r go || exit 125; exec "$@" </dev/null'

TERM_GRACE = 2.0
KILL_GRACE = 5.0
_POLL = 0.02


class ProcessGroup:
    """One command and all that it starts. Output and errors come through one pipe, `output`."""

    def __init__(self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]) -> None:
        reaper = Reaper.shared()
        self._mark = reaper.new_mark()
        self._reaper = reaper
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _GATE, "sh", *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env={**environment, MARK_VARIABLE: self._mark},
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        reaper.watch(self.id)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"\n")
            self._process.stdin.close()

    @property
    def id(self) -> int:
        """The id of the first process and of the group."""
        return self._process.pid

    def poll(self) -> int | None:
        """The exit status of the first process, or None while it runs."""
        return self._process.poll()

    def wait(self) -> int:
        return self._process.wait()

    def living(self) -> set[int]:
        return living(self.id, self._mark)

    def left_behind(self) -> set[int]:
        """What still runs after the first process has ended."""
        return self.living() if group_exists(self.id) else set()

    def close(self) -> None:
        """Let go of a command that has ended; what it left behind still ends with us."""
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._reaper.forget(self.id)

    def stop(self) -> None:
        """End every process of the group, asking first, and return when they are gone. Blocks."""
        self._signal_until_gone(signal.SIGTERM, TERM_GRACE, repeat=False)
        self._signal_until_gone(signal.SIGKILL, KILL_GRACE, repeat=True)

    def _signal_until_gone(self, number: int, patience: float, *, repeat: bool) -> None:
        deadline = time.monotonic() + patience
        told: set[int] = set()
        while (alive := self.living()) and time.monotonic() < deadline:
            for pid in alive if repeat else alive - told:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
                    os.kill(pid, signal.SIGCONT)  # a stopped process would not hear the first
            told |= alive
            time.sleep(_POLL)
