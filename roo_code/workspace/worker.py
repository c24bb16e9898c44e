"""A Python process of our own for work that may hang, crash or eat all memory.

What reads files that strangers made runs there: it is killed with the call, at its limits or when
the time is up, and takes nothing else with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import IO

from roo_code.workspace.short_process import short_process

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "SEMBLE_GRAMMARS_CACHE_DIR")


def worker(
    module: str, *arguments: str, stdin: int | IO[bytes] = asyncio.subprocess.PIPE
) -> contextlib.AbstractAsyncContextManager[asyncio.subprocess.Process]:
    """Run a module of ours, with the libraries that we have and none of the user's keys."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    libraries = os.pathsep.join(path for path in sys.path if path)
    environment = {**kept, "PYTHONPATH": libraries, "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1"}
    command = (sys.executable, "-s", "-m", module, *arguments)
    return short_process(command, stdin=stdin, environment=environment)
