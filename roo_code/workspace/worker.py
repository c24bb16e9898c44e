"""A Python process of our own for work that may hang, crash or eat all memory.

What reads files that strangers made runs there: it is killed with the call, at its limits or when
the time is up, and takes nothing else with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import IO, NamedTuple

from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.short_process import short_process

_OF_LIBRARIES = ("SEMBLE_GRAMMARS_CACHE_DIR",)


class WorkerCommand(NamedTuple):
    argv: tuple[str, ...]
    environment: dict[str, str]


def worker_command(module: str, *arguments: str) -> WorkerCommand:
    """What runs a module of ours, with the libraries that we have and none of the user's keys."""
    libraries = os.pathsep.join(path for path in sys.path if path)
    own = {"PYTHONPATH": libraries, "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1"}
    command = (sys.executable, "-s", "-m", module, *arguments)
    return WorkerCommand(command, child_environment(_OF_LIBRARIES) | own)


def worker(
    module: str, *arguments: str, stdin: int | IO[bytes] = asyncio.subprocess.PIPE
) -> contextlib.AbstractAsyncContextManager[asyncio.subprocess.Process]:
    argv, environment = worker_command(module, *arguments)
    return short_process(argv, stdin=stdin, environment=environment)
