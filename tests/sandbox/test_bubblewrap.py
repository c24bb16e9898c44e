import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import Limits, SandboxPolicy
from roo_code.sandbox.sandbox import Sandbox
from roo_code.workspace.process_list import living
from roo_code.workspace.processes import ProcessGroup
from tests.builtin_tools.calls import PATIENCE
from tests.sandbox.box import ROOT, works_here

pytestmark = pytest.mark.skipif(not works_here(), reason="bubblewrap does not work here")

HOST = """
import os, sys
from pathlib import Path
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.workspace.processes import ProcessGroup
folder = Path(sys.argv[1])
command = open_sandbox(SandboxPolicy(), folder).wrap(
    ["/bin/sh", "-c", "setsid sleep 1000 & touch started; sleep 1000"], cwd=folder,
    environment=os.environ)
group = ProcessGroup(command.argv, cwd=folder, environment=command.environment)
print(group._mark, flush=True)
group.wait()
"""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    opened = open_sandbox(SandboxPolicy(), tmp_path)
    yield opened
    opened.close()


def start(sandbox: Sandbox, command: str, folder: Path) -> ProcessGroup:
    argv = ["/bin/bash", "-c", command]
    wrapped = sandbox.wrap(argv, cwd=folder, environment=os.environ)
    return ProcessGroup(wrapped.argv, cwd=folder, environment=wrapped.environment)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_command_that_is_stopped_may_say_its_last_words(sandbox: Sandbox, tmp_path: Path) -> None:
    said = "trap 'echo bye > last; exit 7' TERM; touch started; while :; do sleep 0.01; done"
    group = start(sandbox, said, tmp_path)
    wait_for((tmp_path / "started").exists)
    group.stop()
    assert (tmp_path / "last").read_text() == "bye\n"
    assert group.wait() == 7
    group.close()


def test_stopping_ends_those_that_hide_and_do_not_listen(sandbox: Sandbox, tmp_path: Path) -> None:
    hiding = "trap '' TERM; (setsid env -i sleep 1000 &); touch started; sleep 1000; sleep 1000"
    group = start(sandbox, hiding, tmp_path)
    wait_for((tmp_path / "started").exists)
    assert len(group.living()) >= 3
    group.stop()
    assert group.living() == set()
    assert group.wait() == -signal.SIGKILL
    group.close()


def test_what_is_in_a_sandbox_ends_with_us_however_we_end(tmp_path: Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert host.stdout is not None
    mark = host.stdout.readline().strip()
    wait_for((tmp_path / "started").exists)
    assert len(living(mark)) >= 4
    host.kill()
    host.wait()
    host.stdout.close()
    wait_for(lambda: not living(mark))


def test_no_descriptor_of_ours_gets_in(sandbox: Sandbox, tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as opened:
        os.set_inheritable(opened.fileno(), True)
        group = start(sandbox, "ls /proc/self/fd", tmp_path)
        printed = b"".join(iter(lambda: group.read(1 << 16), b""))
    assert printed.split() == [b"0", b"1", b"2", b"3"]  # the last is that of the folder it lists
    group.wait()
    group.close()


def test_commands_share_the_limit_on_processes_or_it_is_said(tmp_path: Path) -> None:
    opened = open_sandbox(SandboxPolicy(limits=Limits(processes=20)), tmp_path)
    groups = [start(opened, "sleep 1000 & wait", tmp_path) for _ in range(5)]
    status = start(opened, "for i in {1..14}; do sleep 1000 & done", tmp_path)
    while status.read(1 << 16):
        pass
    shared = status.wait() != 0
    for group in [*groups, status]:
        group.stop()
        group.close()
    opened.close()
    assert shared != any("for each command" in text for text in opened.warnings)


def test_a_folder_that_cannot_be_seen_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not to be seen") as refused:
        sandbox.wrap(["true"], cwd=tmp_path.parent, environment={})
    assert "readable" in refused.value.hint
    (tmp_path / "out").symlink_to(tmp_path.parent)
    with pytest.raises(ConfigError, match="not to be seen"):
        sandbox.wrap(["true"], cwd=tmp_path / "out", environment={})


def test_a_workspace_that_holds_the_home_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for workspace in (tmp_path, tmp_path / "home", Path("/")):
        with pytest.raises(ConfigError):
            open_sandbox(SandboxPolicy(), workspace)
    with pytest.raises(ConfigError, match="cannot be shown"):
        open_sandbox(SandboxPolicy(readable=(Path("/"),)), tmp_path / "home/project")


def test_a_link_in_place_of_what_is_protected_leads_nowhere(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    for folder in (outside / "hooks", workspace):
        folder.mkdir(parents=True)
    (outside / "hooks/secret").write_text("secret")
    (workspace / ".git").symlink_to(outside)
    with contextlib.closing(open_sandbox(SandboxPolicy(), workspace)) as opened:
        group = start(opened, "cat .git/hooks/secret", workspace)
        assert group.wait() != 0
        group.close()


def test_nothing_of_it_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "workspace").mkdir()
    opened = open_sandbox(SandboxPolicy(), tmp_path / "workspace")
    assert len([*tmp_path.glob("roo-sandbox-*")]) == 1
    (tmp_path / "roo-sandbox-4194999-1-of-a-killed-process").mkdir()
    open_sandbox(SandboxPolicy(), tmp_path / "workspace").close()
    opened.close()
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


def test_limits_are_above_zero() -> None:
    with pytest.raises(ConfigError, match="above zero: memory, wall_seconds"):
        Limits(memory=0, wall_seconds=-1)
