"""Runs a command in a container, as a program of its own that is started by its path.

The container is no child of ours and would outlive us. So a keeper in a session of its own, which
carries no mark and which nobody therefore ends, starts it and removes it as soon as we are gone.
It imports nothing of ours, so that it starts as fast as it can.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

# The client ends with its container. Until then it may still be about to make it. A shell takes
# away the input of what it starts beside itself, so it is handed over by another number.
_KEEPER = r"""
name=$1 docker=$2 config=$4 address=$6; shift 6
exec 8<&0
"$docker" --config "$config" --host "$address" run --name "$name" "$@" <&8 8<&- 9<&- & client=$!
exec 8<&-
remove() { "$docker" --config "$config" --host "$address" rm --force --volumes "$name"; }
{ read -r _ <&9; while kill -0 $client; do remove; sleep 0.05; done; } </dev/null >/dev/null 2>&1 &
wait $client; status=$?
kill $! 2>/dev/null
[ $status -lt 125 ] || remove >/dev/null 2>&1
exit $status
"""
_LIFE = 9
"""The descriptor from which the keeper reads that we are gone."""

MARKS = "ROO_STARTED_"
"""How the variables begin that a command is found and ended by."""

_ON_TERMINAL = 'stty rows "$1" cols "$2" -onlcr -echo; shift 2; exec "$@"'
_END_OF_FILE = b"\x04"
_READERS = 32
"""How many times a command on a terminal may ask before it waits for an answer in vain."""

_KILLED = 128 + signal.SIGKILL


def main() -> int:
    plan, *argv = sys.argv[1:]
    # Whoever ends commands asks all that carry a mark: that is the command inside, too.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    return _run(json.loads(plan), argv)


def _run(plan: dict[str, Any], argv: list[str]) -> int:
    marks = {name: value for name, value in os.environ.items() if name.startswith(MARKS)}
    kept = {name: value for name, value in os.environ.items() if name not in marks}
    options = [word for name in kept for word in ("--env", name)]
    # Not for the first process in the container: it passes on what it is asked.
    command = ["/usr/bin/env", *(f"{name}={value}" for name, value in marks.items()), *argv]
    reads_from = None
    if os.isatty(0):
        size = os.get_terminal_size(0)
        rows, columns = str(size.lines), str(size.columns)
        command = ["/bin/sh", "-c", _ON_TERMINAL, "sh", rows, columns, *command]
        options.append("--tty")
        reads_from = _terminal_without_typist()
    reading, living = os.pipe()
    os.dup2(reading, _LIFE)
    name = f"roo-{os.urandom(8).hex()}"
    keeper = subprocess.Popen(
        ["/bin/sh", "-c", _KEEPER, "keeper", name, *plan["client"],
         *plan["options"], *options, plan["image"], *command],
        env=kept, stdin=reads_from, start_new_session=True, pass_fds=(_LIFE,),
    )  # fmt: skip
    try:
        return keeper.wait(plan["seconds"])
    except subprocess.TimeoutExpired:
        os.close(living)
        keeper.wait()
        return _KILLED


def _terminal_without_typist() -> int:
    """A terminal for the client, which passes on what it reads as it is.

    On the one that we have, what was typed before it comes to be read so is spoiled.
    """
    import tty  # noqa: PLC0415 - few commands need one

    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.write(ours, _END_OF_FILE * _READERS)
    return theirs


if __name__ == "__main__":
    sys.exit(main())
