"""However a browser's task ends, no process of the browser stays."""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.builtin_tools.calls import Caller, eventually, is_alive
from tests.builtin_tools.web import needs_browser, served

pytestmark = needs_browser

At = Callable[[str], str]
CANCELS = 20


@pytest.fixture(scope="module")
def at() -> Iterator[At]:
    with served() as address:
        yield address


def running_in(folder: Path) -> set[int]:
    """Chromium's children hide their environment, but all have the folder of the first one."""
    found: set[int] = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                here = Path(entry.path, "cwd").readlink() == folder
            except OSError:
                continue  # it has ended
            if here and is_alive(int(entry.name)):
                found.add(int(entry.name))
    return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that all processes of this test, and no others, work in."""
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


async def test_the_end_of_the_task_closes_it(caller: Caller, at: At, home: Path) -> None:
    await caller.call("browser_action", action="launch", url=at("form"))
    assert len(running_in(home)) > 3
    await caller.resources.aclose()
    assert running_in(home) == set()


async def test_cancelled_launches_leave_nothing_behind(caller: Caller, at: At, home: Path) -> None:
    for moment in range(CANCELS):
        launching = asyncio.create_task(
            caller.call("browser_action", action="launch", url=at("form"), n=moment)
        )
        await asyncio.sleep(moment * 0.06)  # from before the first process to the page itself
        launching.cancel()
        with contextlib.suppress(asyncio.CancelledError):  # or it was quicker than we were
            await launching
        await caller.resources.aclose()
        assert running_in(home) == set()


async def test_being_cancelled_twice_leaves_nothing_behind(
    caller: Caller, at: At, home: Path
) -> None:
    launching = asyncio.create_task(caller.call("browser_action", action="launch", url=at("form")))
    await eventually(lambda: running_in(home))
    for _ in range(3):
        launching.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises(asyncio.CancelledError):
        await launching
    assert running_in(home) == set()


HOST = """
import asyncio, sys
from pathlib import Path
from roo_code.builtin_tools.registry import create_registry
from roo_code.messages import ToolUseContent
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

async def main():
    launch = {"action": "launch", "url": sys.argv[1]}
    call = ToolUseContent(id="1", name="browser_action", input=launch)
    print("starting", flush=True)
    result = await create_registry().execute(call, ToolContext(workspace=Workspace(Path.cwd())))
    print(result.content, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["first process", "browser", "page"])
async def test_a_killed_host_leaves_nothing_behind(at: At, home: Path, moment: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", HOST, at("form")],
        stdout=subprocess.PIPE,
        cwd=home,
        env=environment,
    ) as host:
        assert host.stdout is not None
        assert await asyncio.to_thread(host.stdout.readline) == b"starting\n"
        if moment == "first process":
            await eventually(lambda: len(running_in(home)) > 1)
        elif moment == "browser":
            await eventually(lambda: len(running_in(home)) > 3)
        else:
            assert await asyncio.to_thread(host.stdout.readline) == b"Done: launch.\n"
        host.kill()
    await eventually(lambda: not running_in(home))
