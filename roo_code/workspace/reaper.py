"""The reaper: a small shell process that ends what we started when we end, however we end.

It reads from a pipe that only this process writes to. When this process is gone, even by
`kill -9`, the pipe closes, and the reaper kills every group of processes still on its list and
every process that carries our mark in its environment, wherever it hid.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading

from roo_code.workspace.child_marks import MARK_VARIABLE, own_mark
from roo_code.workspace.process_list import group_exists

_SCRIPT = r"""
trap '' HUP INT TERM QUIT PIPE
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) case $groups in
            *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
        esac ;;
    esac
done
signal() {
    left=
    for group in $groups; do kill "$1" "-$group" 2>/dev/null && left=1; done
    for file in $(grep -a -l -F -e "$mark" /proc/[0-9]*/environ 2>/dev/null); do
        pid=${file#/proc/}; kill "$1" "${pid%/environ}" 2>/dev/null && left=1
    done
}
mark=$1
signal -TERM
for turn in 1 2 3 4 5; do [ -z "$left" ] && exit; sleep 0.1; signal -0; done
for turn in 1 2 3 4 5; do signal -KILL; [ -z "$left" ] && exit; sleep 0.1; done
"""


class Reaper:
    """One for this process; a forked child gets its own."""

    _shared: Reaper | None = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.mark = own_mark()
        """Part of the mark of everything this process starts."""
        self._writing = threading.Lock()
        self._count = 0
        self._lingering: set[int] = set()
        environment = {"PATH": os.environ.get("PATH", os.defpath)}
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "roo-reaper", self.mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment,
            start_new_session=True,
        )

    @classmethod
    def shared(cls) -> Reaper:
        with cls._lock:
            known = cls._shared
            if known is None or known.owner != os.getpid() or known._process.poll() is not None:
                known = cls._shared = cls()
            return known

    def new_mark(self, within: str = "") -> str:
        """A mark for one command: after those of any program that we run under.

        Who looks for the mark it is `within` finds it too.
        """
        with self._writing:
            self._count += 1
            before = within or f"{os.environ.get(MARK_VARIABLE, '')}{self.mark}"
            return f"{before}{self._count}/"

    def watch(self, group: int) -> None:
        self._tell(f"+ {group}\n")
        for other in list(self._lingering):
            self.forget(other)

    def forget(self, group: int) -> None:
        """Take a group off the list once it is empty; until then it stays on it."""
        if group_exists(group):
            self._lingering.add(group)
        else:
            self._lingering.discard(group)
            self._tell(f"- {group}\n")

    def _tell(self, line: str) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        # If somebody killed the reaper, its work is not done; ours must go on nevertheless.
        with self._writing, contextlib.suppress(BrokenPipeError):
            pipe.write(line.encode("ascii"))
            pipe.flush()
