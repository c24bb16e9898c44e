import asyncio
import os
import random
import sys
from pathlib import Path

import pytest

from tests.builtin_tools.calls import is_alive
from tests.mcp_client.test_supervision import pids_in
from tests.waiting import until

ROUNDS = int(os.environ.get("ROO_ORPHAN_ROUNDS", "5"))
"""A hundred were run by hand; see docs/mcp.md."""


@pytest.mark.parametrize("round", range(ROUNDS))
async def test_no_server_outlives_a_host_that_is_killed(tmp_path: Path, round: int) -> None:
    """In odd rounds while they connect, in even ones in the middle of calls."""
    moment = "connecting" if round % 2 else "connected"
    host = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.mcp_client.orphan_host",
        str(tmp_path),
        moment,
        stdout=asyncio.subprocess.PIPE,
    )
    assert host.stdout is not None
    assert await host.stdout.readline() == b"ready\n"
    wanted = random.Random(round).randrange(20) if moment == "connecting" else 20
    await until(lambda: len(pids_in(tmp_path / "pids")) >= wanted)
    host.kill()
    await host.wait()
    await until(lambda: not any(map(is_alive, pids_in(tmp_path / "pids"))))
    await until(lambda: not left_of(tmp_path))


def left_of(folder: Path) -> list[str]:
    """Processes that were started in this folder, whether or not they came to say so."""
    needle = os.fsencode(folder / "workspace")
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                here = os.fsencode((entry / "cwd").readlink())
            except OSError:
                continue
            if here.startswith(needle) and is_alive(int(entry.name)):
                found.append(entry.name)
    return found
