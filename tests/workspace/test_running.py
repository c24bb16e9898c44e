"""What runs is told by the processes themselves, in this process and from any other."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.child_marks import start_of, task_of_children
from roo_code.workspace.process_list import marks_are_seen
from roo_code.workspace.processes import ProcessGroup
from roo_code.workspace.running import RunningChild, running
from roo_code.workspace.short_process import short_process
from tests.builtin_tools.calls import eventually

pytestmark = pytest.mark.skipif(not marks_are_seen(), reason="this system does not show marks")


def ours() -> list[RunningChild]:
    return [child for child in running() if child.owner == os.getpid()]


async def test_a_command_and_a_worker_are_listed_while_they_run(tmp_path: Path) -> None:
    before = time.time()
    token = task_of_children.set("3f2a91bc")
    try:
        environment = child_environment()
        argv = ["/bin/sh", "-c", "sleep 1000 & sleep 1000"]
        group = ProcessGroup(argv, cwd=tmp_path, environment=environment)
        await eventually(lambda: ours() and ours()[0].processes == 3)
        (child,) = ours()
        assert (child.kind, child.pid, child.task_id) == ("command", group.id, "3f2a91bc")
        assert child.command == "/bin/sh -c sleep 1000 & sleep 1000"
        assert not child.is_orphan
        assert before - 1 < child.started < time.time() + 1
        async with short_process(["sleep", "1000"], kind="user tool") as process:
            found = {child.pid: child.kind for child in ours()}
            assert found == {group.id: "command", process.pid: "user tool"}
        group.stop()
        group.close()
    finally:
        task_of_children.reset(token)
    assert ours() == []


HOST = """
import os, sys, time
from pathlib import Path
from roo_code.workspace.processes import ProcessGroup
from roo_code.workspace.reaper import Reaper

group = ProcessGroup(["sleep", "1000"], cwd=Path("/"), environment={"PATH": os.environ["PATH"]})
if sys.argv[1] == "unreaped":
    Reaper.shared()._process.kill()
print(group.id, flush=True)
time.sleep(1000)
"""


async def started(how: str) -> tuple[asyncio.subprocess.Process, int]:
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, how, stdout=asyncio.subprocess.PIPE
    )
    assert host.stdout is not None
    return host, int(await host.stdout.readline())


async def killed(host: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        host.send_signal(signal.SIGKILL)
    await host.wait()


async def test_children_of_another_process_are_seen_and_gone_when_it_was_killed() -> None:
    host, pid = await started("reaped")
    try:
        (child,) = [child for child in running() if child.pid == pid]
        assert (child.owner, child.is_orphan) == (host.pid, False)
    finally:
        await killed(host)
    await eventually(lambda: all(child.pid != pid for child in running()))


async def test_what_was_left_behind_is_told_by_ps_and_doctor() -> None:
    host, pid = await started("unreaped")
    await killed(host)
    try:
        (child,) = [child for child in running() if child.pid == pid]
        assert child.is_orphan
        listed = await output_of("ps", "--json")
        assert [one["is_orphan"] for one in json.loads(listed)["running"] if one["pid"] == pid] == [
            True
        ]
        assert "left behind" in await output_of("ps")
        assert f"command {pid} outlived process {host.pid}: sleep 1000" in await output_of("doctor")
    finally:
        os.kill(pid, signal.SIGKILL)
    await eventually(lambda: start_of(pid) == 0)


async def output_of(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "roo_code", *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return output.decode()


async def test_what_a_process_says_of_itself_cannot_steer_a_terminal(tmp_path: Path) -> None:
    lie = r"ROO_STARTED_AS=$(printf 'worker\033[2J/\033[2J') exec sleep 1000"
    argv = ["/bin/sh", "-c", lie]
    group = ProcessGroup(argv, cwd=tmp_path, environment=child_environment())
    await eventually(lambda: ours() and ours()[0].kind == "unknown")
    assert ours()[0].task_id == ""
    group.stop()
    group.close()


def test_a_process_that_is_gone_has_no_start() -> None:
    assert start_of(2**22 + 1) == 0
    assert start_of(os.getpid()) > 0
