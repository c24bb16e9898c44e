import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from roo_code.workspace import processes
from roo_code.workspace.process_list import living
from roo_code.workspace.processes import ProcessGroup, end_all
from roo_code.workspace.reaper import Reaper
from tests.builtin_tools.calls import PATIENCE, is_alive, read_pid

HOST = """
import sys, time
from pathlib import Path
from roo_code.workspace import processes
from roo_code.workspace.processes import ProcessGroup
import os
group = ProcessGroup(["/bin/sh", "-c", sys.argv[1]], cwd=Path(sys.argv[2]), environment=os.environ)
print("started", flush=True)
time.sleep(1000)
"""


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def start(command: str, folder: Path) -> ProcessGroup:
    return ProcessGroup(["/bin/sh", "-c", command], cwd=folder, environment=os.environ)


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Callable[[str], int]]:
    """Process ids that a command writes to files of the given names."""

    def pid(name: str) -> int:
        wait_for(lambda: read_pid(tmp_path / name))
        return read_pid(tmp_path / name)

    yield pid
    for file in tmp_path.glob("*.pid"):
        if is_alive(read_pid(file)):
            os.kill(read_pid(file), signal.SIGKILL)


# What a command may do to get rid of us: a child, a child in a session of its own, and one that
# is in a session of its own and whose parent is gone.
TREE = """
sleep 1001 & echo $! > child.pid
setsid sleep 1002 & echo $! > session.pid
(setsid sh -c 'echo $$ > daemon.pid; exec sleep 1003' &)
wait
"""
NAMES = ("child.pid", "session.pid", "daemon.pid")


def test_input_is_closed_and_output_and_errors_come_together(tmp_path: Path) -> None:
    group = start("cat; echo out; echo err >&2; exit 3", tmp_path)
    with open(group.output, "rb", closefd=False) as output:
        assert output.read() == b"out\nerr\n"
    assert group.wait() == 3
    assert group.left_behind() == set()
    group.close()


def test_stopping_ends_every_process_of_the_tree(
    tmp_path: Path, pids: Callable[[str], int]
) -> None:
    group = start(TREE, tmp_path)
    tree = {pids(name) for name in NAMES}
    assert tree <= group.living()
    group.stop()
    assert not [pid for pid in tree if is_alive(pid)]
    assert group.living() == set()
    assert group.wait() == -signal.SIGTERM
    group.close()


def test_who_does_not_listen_is_killed(
    tmp_path: Path, pids: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "TERM_GRACE", 0.1)
    group = start("trap '' TERM; echo $$ > deaf.pid; while :; do sleep 1; done", tmp_path)
    pids("deaf.pid")
    group.stop()
    assert group.wait() == -signal.SIGKILL
    group.close()


def test_a_stopped_process_is_ended_too(tmp_path: Path, pids: Callable[[str], int]) -> None:
    group = start("echo $$ > halted.pid; kill -STOP $$; sleep 1000", tmp_path)
    pid = pids("halted.pid")
    wait_for(lambda: Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] == "T")
    group.stop()
    assert group.wait() == -signal.SIGTERM
    group.close()


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
def test_when_the_host_is_killed_nothing_it_started_stays(
    tmp_path: Path, pids: Callable[[str], int]
) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, TREE, str(tmp_path)], stdout=subprocess.PIPE
    )
    with host:
        tree = [pids(name) for name in NAMES]
        assert all(is_alive(pid) for pid in tree)
        host.kill()
    wait_for(lambda: not any(is_alive(pid) for pid in tree))


def test_a_process_left_behind_by_a_command_that_ended_dies_with_the_host(
    tmp_path: Path, pids: Callable[[str], int]
) -> None:
    script = HOST.replace("time.sleep(1000)", "group.wait(); group.close(); time.sleep(1000)")
    command = "sleep 1004 >/dev/null 2>&1 & echo $! > left.pid"
    host = subprocess.Popen(
        [sys.executable, "-c", script, command, str(tmp_path)], stdout=subprocess.PIPE
    )
    with host:
        pid = pids("left.pid")
        assert is_alive(pid)
        host.kill()
    wait_for(lambda: not is_alive(pid))


def test_one_command_does_not_touch_another(tmp_path: Path, pids: Callable[[str], int]) -> None:
    first = start("echo $$ > first.pid; exec sleep 1000", tmp_path)
    second = start("echo $$ > second.pid; exec sleep 1000", tmp_path)
    assert pids("first.pid")
    assert pids("second.pid")
    first.stop()
    assert second.living() == {second.id}
    second.stop()
    for group in (first, second):
        group.wait()
        group.close()


def test_nobody_is_asked_twice(tmp_path: Path, pids: Callable[[str], int]) -> None:
    command = "trap 'echo asked >> log' TERM; echo $$ > slow.pid; "
    group = start(f"{command} while [ ! -e log ]; do sleep 0.01; done; sleep 0.3", tmp_path)
    pids("slow.pid")
    group.stop()
    group.wait()
    group.close()
    assert (tmp_path / "log").read_text(encoding="ascii") == "asked\n"


def test_processes_can_be_found_by_a_mark_they_share(tmp_path: Path) -> None:
    mark = Reaper.shared().new_mark()
    command = ["/bin/sh", "-c", "setsid sleep 1005 & sleep 1006"]
    groups = [
        ProcessGroup(command, cwd=tmp_path, environment=os.environ, within=within)
        for within in (mark, mark, "")
    ]
    wait_for(lambda: len(living(mark)) == 6)
    end_all(partial(living, mark))
    assert living(mark) == set()
    assert groups[2].id in groups[2].living()
    groups[2].stop()
    for group in groups:
        group.wait()
        group.close()


def test_a_command_on_a_terminal_has_it_as_its_own(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", "tty; stty size < /dev/tty; cat; echo closed"]
    group = ProcessGroup(command, cwd=tmp_path, environment=os.environ, terminal=(30, 100))
    printed = b""
    while data := group.read(1000):
        printed += data
    assert re.fullmatch(rb"/dev/\S+\n30 100\nclosed\n", printed)
    assert group.wait() == 0
    group.close()


def test_a_command_that_cannot_start_leaves_no_file_open(tmp_path: Path) -> None:
    before = {*Path("/proc/self/fd").iterdir()}
    for terminal in (None, (30, 100)):
        with pytest.raises(OSError, match="nowhere"):
            ProcessGroup(
                ["true"], cwd=tmp_path / "nowhere", environment=os.environ, terminal=terminal
            )
    assert {*Path("/proc/self/fd").iterdir()} == before


def test_without_marks_a_command_waits_until_the_reaper_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "marks_are_seen", lambda: False)
    group = start("cat; echo out", tmp_path)
    assert group.read(1000) == b"out\n"
    assert group.wait() == 0
    group.close()
