"""Processes that live in a group of their own and end with us, however we end."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from roo_code.workspace.child_marks import marked
from roo_code.workspace.process_list import group_exists, in_group, living, marks_are_seen
from roo_code.workspace.reaper import Reaper

# The command starts only once the reaper knows of it; if we die before, it never starts. A session
# has as its terminal the first that its first process opens.
_GATE = 'read -r go || exit 125; input=$1; shift; exec "$@" <"$input"'
_END_OF_FILE = b"\x04"
_READERS = 32
"""How many times a command on a terminal may ask before it waits for an answer in vain."""

TERM_GRACE = 2.0
KILL_GRACE = 5.0
_SHORTEST_WAIT, _LONGEST_WAIT = 0.002, 0.05


class ProcessGroup:
    """One command and all that it starts. Output and errors come through one pipe, `output`.

    With a size in rows and columns it runs on a terminal, into which nobody types. `within` is a
    mark by which it can be found and ended together with others.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        within: str = "",
        terminal: tuple[int, int] | None = None,
    ) -> None:
        self._reaper = Reaper.shared()
        self._mark = self._reaper.new_mark(within)
        reading, writing = _open_terminal(*terminal) if terminal else os.pipe()
        self._reading = os.fdopen(reading, "rb", buffering=0)
        gate = _gate(writing) if terminal else () if marks_are_seen() else _gate(None)
        try:
            self._process = subprocess.Popen(
                [*gate, *argv],
                stdin=subprocess.PIPE if gate else subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=cwd,
                env=marked(environment, self._mark, "command"),
                bufsize=0,
                start_new_session=True,
            )
        except BaseException:
            self._reading.close()
            raise
        finally:
            os.close(writing)
        self._reaper.watch(self.id)
        if terminal:
            os.write(reading, _END_OF_FILE * _READERS)
        if opened := self._process.stdin:
            with contextlib.suppress(BrokenPipeError), opened:
                opened.write(b"\n")

    @property
    def id(self) -> int:
        """The id of the first process and of the group."""
        return self._process.pid

    @property
    def output(self) -> int:
        """What to wait on for something to `read`."""
        return self._reading.fileno()

    def read(self, size: int) -> bytes:
        """What has been printed, at most so many bytes, or nothing once all who print are gone."""
        try:
            return self._reading.read(size)
        except OSError as error:
            if error.errno == errno.EIO:  # how a terminal tells it
                return b""
            raise

    def poll(self) -> int | None:
        """The exit status of the first process, or None while it runs."""
        return self._process.poll()

    def wait(self) -> int:
        return self._process.wait()

    def living(self) -> set[int]:
        return living(self._mark, self.id)

    def left_behind(self) -> set[int]:
        """What still runs after the first process has ended."""
        return self.living() if group_exists(self.id) else set()

    def wait_until_gone(self, patience: float) -> None:
        """For what ends by itself. Blocks."""
        for _ in _until_gone(self.left_behind, patience):
            pass

    def close(self) -> None:
        """Let go of a command that has ended; what it left behind still ends with us."""
        self._reading.close()
        self._reaper.forget(self.id)

    def stop(self) -> None:
        """End every process of the group, asking first, and return when they are gone. Blocks."""
        # Most are gone after this, and looking for the others costs more than it does.
        _signal(-self.id, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LONGEST_WAIT)
        end_all(self.living, asked=self.id)


def end_all(find: Callable[[], set[int]], *, asked: int | None = None) -> None:
    """End the processes that `find` finds, asking first, until it finds none. Blocks.

    Those of the group that was `asked` already are not asked again: some take that for haste.
    """
    told: set[int] = set()
    for alive in _until_gone(find, TERM_GRACE):
        for pid in alive - told:
            if not in_group(pid, asked):
                _signal(pid, signal.SIGTERM)
        told |= alive
    for alive in _until_gone(find, KILL_GRACE):
        for pid in alive:
            _signal(pid, signal.SIGKILL)


def _until_gone(find: Callable[[], set[int]], patience: float) -> Iterator[set[int]]:
    """What is found, again and again, until that is nothing or patience ends."""
    deadline = time.monotonic() + patience
    pause = _SHORTEST_WAIT
    while (alive := find()) and time.monotonic() < deadline:
        yield alive
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_WAIT)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)  # a stopped process would not hear the first


def _gate(terminal: int | None) -> tuple[str, ...]:
    """Words before those of a command that hold it until it is told to go.

    Where marks are seen and there is no terminal to be opened, a command needs none: the reaper
    finds it by its mark even if we die before we have told its group.
    """
    reads_from = os.devnull if terminal is None else os.ttyname(terminal)
    return ("/bin/sh", "-c", _GATE, "sh", reads_from)


def _open_terminal(rows: int, columns: int) -> tuple[int, int]:
    """Our end and the command's; lines come as they are, without carriage returns."""
    import termios  # noqa: PLC0415 - few commands need one
    import tty  # noqa: PLC0415

    ours, theirs = os.openpty()
    mode = termios.tcgetattr(theirs)
    mode[tty.OFLAG] &= ~termios.ONLCR
    mode[tty.LFLAG] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, mode)
    termios.tcsetwinsize(theirs, (rows, columns))
    return ours, theirs
