"""A process that answers one call and is gone with it, whether it was done or not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import IO

from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.child_marks import ChildKind, marked
from roo_code.workspace.reaper import Reaper

_BUFFER = 4 << 20


@contextlib.asynccontextmanager
async def short_process(
    argv: Sequence[str | Path],
    *,
    folder: int | None = None,
    stdin: int | IO[bytes] = asyncio.subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    kind: ChildKind = "worker",
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start it in the folder that the descriptor stands for; kill its group when the block ends.

    A descriptor, because a folder that is named can be swapped for a link meanwhile. Without an
    environment of its own it has that of all our children.
    """
    reaper = Reaper.shared()
    given = child_environment() if environment is None else environment
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_BUFFER,
        cwd=None if folder is None else _path_of(folder),
        env=marked(given, reaper.new_mark(), kind),
        start_new_session=True,
    )
    try:
        reaper.watch(process.pid)
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await _collect(process)
        reaper.forget(process.pid)


async def _collect(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process that is ending; being cancelled does not cut it short."""
    # Read to the end, not only waited for: a pipe nobody reads would keep it from being over.
    waiting = asyncio.ensure_future(process.communicate())
    cancelled = False
    while not waiting.done():
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


def _path_of(folder: int) -> str:
    there = f"/proc/self/fd/{folder}"
    if Path(there).exists():
        return there  # read by the child, which has inherited the descriptor
    import fcntl  # noqa: PLC0415 - only macOS has to ask

    get_path: int = getattr(fcntl, "F_GETPATH")  # noqa: B009 - Linux does not know it
    return fcntl.fcntl(folder, get_path, bytes(1024)).rstrip(b"\0").decode()
