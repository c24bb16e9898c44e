import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from roo_code.workspace.short_process import short_process
from tests.builtin_tools.calls import eventually, is_alive, read_pid


async def test_it_is_over_when_the_block_is(tmp_path: Path) -> None:
    async with short_process(["sh", "-c", "yes & exec yes"]) as process:
        assert process.stdout is not None
        assert await process.stdout.read(10)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        pids = [process.pid, *map(int, children.read_text(encoding="ascii").split())]
    assert len(pids) == 2
    await eventually(lambda: not any(map(is_alive, pids)))


async def test_it_is_over_after_any_number_of_cancels() -> None:
    started: list[int] = []

    async def run() -> None:
        async with short_process(["yes"]) as process:
            started.append(process.pid)
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    await eventually(lambda: started)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_alive(started[0])


async def test_it_runs_in_the_folder_that_was_opened_whatever_its_name_means_now(
    tmp_path: Path,
) -> None:
    (tmp_path / "meant").mkdir()
    (tmp_path / "meant" / "file").touch()
    descriptor = os.open(tmp_path / "meant", os.O_RDONLY)
    try:
        (tmp_path / "meant").rename(tmp_path / "moved")
        (tmp_path / "meant").symlink_to("/")
        async with short_process(["ls"], folder=descriptor) as process:
            output, _ = await process.communicate()
    finally:
        os.close(descriptor)
    assert output == b"file\n"


HOST = """
import asyncio, sys
from roo_code.workspace.short_process import short_process

async def main():
    command = ["sh", "-c", f"echo $$ > {sys.argv[1]}; exec sleep 1000"]
    async with short_process(command) as process:
        await process.wait()

asyncio.run(main())
"""


async def test_it_ends_with_us_even_if_we_are_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    host = await asyncio.create_subprocess_exec(sys.executable, "-c", HOST, str(pid_file))
    try:
        await eventually(lambda: read_pid(pid_file))
    finally:
        with contextlib.suppress(ProcessLookupError):
            host.send_signal(signal.SIGKILL)
        await host.wait()
    await eventually(lambda: not is_alive(read_pid(pid_file)))
