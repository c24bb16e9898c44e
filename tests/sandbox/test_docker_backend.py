import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.detection import find_sandbox, open_sandbox
from roo_code.sandbox.docker_client import DockerClient
from roo_code.sandbox.docker_image import image_of
from roo_code.sandbox.docker_leftovers import own_label
from roo_code.sandbox.policy import Limits, SandboxPolicy
from roo_code.sandbox.sandbox import Sandbox
from roo_code.workspace.child_marks import KIND_VARIABLE, MARK_VARIABLE
from roo_code.workspace.process_list import living
from roo_code.workspace.processes import ProcessGroup
from tests.builtin_tools.calls import PATIENCE
from tests.sandbox.box import ROOT
from tests.sandbox.docker_daemon import containers, keepers
from tests.sandbox.test_limits import FORK_BOMB

HOST = """
import os, sys
from pathlib import Path
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.docker_client import DockerClient
from roo_code.sandbox.docker_image import image_of
from roo_code.sandbox.docker_leftovers import own_label
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.workspace.processes import ProcessGroup
folder = Path(sys.argv[1])
sandbox = open_sandbox(SandboxPolicy(), folder, backend="docker")
assert sandbox.confines
command = sandbox.wrap(
    ["/bin/sh", "-c", "setsid env -i sleep 1000 & touch started; sleep 1000"], cwd=folder,
    environment=os.environ)
group = ProcessGroup(command.argv, cwd=folder, environment=command.environment)
print(group._mark, flush=True)
group.wait()
"""


@pytest.fixture
def workspace(tmp_path: Path, docker_address: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a home, with a name that a list of words would split."""
    monkeypatch.setenv("DOCKER_HOST", docker_address)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / 'home/a "project", one: two'
    folder.mkdir(parents=True)
    (tmp_path / "home/secret").write_text("secret")
    return folder


@contextlib.contextmanager
def opened(workspace: Path, **policy: Any) -> Generator[Sandbox]:
    sandbox = open_sandbox(SandboxPolicy(**policy), workspace, backend="docker")
    assert sandbox.name == "docker", sandbox.warnings
    with contextlib.closing(sandbox):
        yield sandbox


def start(sandbox: Sandbox, command: str, folder: Path, **how: Any) -> ProcessGroup:
    wrapped = sandbox.wrap(["/bin/bash", "-c", command], cwd=folder, environment=os.environ)
    return ProcessGroup(wrapped.argv, cwd=folder, environment=wrapped.environment, **how)


def run(sandbox: Sandbox, command: str, folder: Path, **how: Any) -> tuple[int, str]:
    group = start(sandbox, command, folder, **how)
    printed = b"".join(iter(lambda: group.read(1 << 16), b""))
    status = group.wait()
    group.close()
    return status, printed.decode()


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_command_that_is_stopped_may_say_its_last_words(
    workspace: Path, docker_address: str
) -> None:
    said = "trap 'echo bye >> last; exit 7' TERM; touch started; while :; do sleep 0.01; done"
    with opened(workspace) as sandbox:
        group = start(sandbox, said, workspace)
        wait_for((workspace / "started").exists)
        group.stop()
        assert (workspace / "last").read_text() == "bye\n"
        assert group.wait() == 7
        group.close()
    assert containers(docker_address) == []


def test_stopping_ends_those_that_hide_and_do_not_listen(
    workspace: Path, docker_address: str
) -> None:
    hiding = "trap '' TERM; (setsid env -i sleep 1000 &); touch started; sleep 1000; sleep 1000"
    with opened(workspace) as sandbox:
        group = start(sandbox, hiding, workspace)
        wait_for((workspace / "started").exists)
        assert len(group.living()) >= 2
        assert len(containers(docker_address)) == 1
        group.stop()
        assert group.living() == set()
        assert group.wait() == -signal.SIGKILL
        group.close()
        wait_for(lambda: not keepers(docker_address))
    assert containers(docker_address) == []


@pytest.mark.parametrize("moment", ["while it runs", "while it is made"])
def test_no_container_is_left_however_we_end(
    workspace: Path, docker_address: str, moment: str
) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(workspace)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert host.stdout is not None
    mark = host.stdout.readline().strip()
    if moment == "while it runs":
        wait_for((workspace / "started").exists)
        assert [name for name in containers(docker_address) if name.endswith("running")]
    else:
        wait_for(lambda: keepers(docker_address))
    host.kill()
    host.wait()
    host.stdout.close()
    wait_for(lambda: not keepers(docker_address) and not living(mark))
    assert containers(docker_address) == []


def test_what_was_left_all_the_same_is_removed_by_the_next(
    workspace: Path, docker_address: str
) -> None:
    client = DockerClient("docker", docker_address)
    ours = own_label()
    others = ours.replace("=", "=1")
    with subprocess.Popen(["true"]) as ended:
        dead = ours.replace(str(os.getpid()), str(ended.pid))
    sleeping = ("-v/usr:/usr:ro", image_of("", client), "/usr/bin/sleep", "1000")
    kept = {client.ask("run", "--detach", "--label", label, *sleeping) for label in (ours, others)}
    client.ask("run", "--detach", "--label", dead, *sleeping)
    with opened(workspace):
        assert {*client.ask("ps", "--no-trunc", "--quiet").split()} == kept
    client.ask("rm", "--force", *kept)


def test_time_is_limited(workspace: Path, docker_address: str) -> None:
    with opened(workspace, limits=Limits(wall_seconds=2)) as sandbox:
        assert run(sandbox, "trap '' TERM; touch started; sleep 1000", workspace) == (137, "")
    assert containers(docker_address) == []


def test_limits_hold(workspace: Path) -> None:
    limits = Limits(memory=200 << 20, processes=40, file_size=1 << 20, temporary=1 << 20)
    greedy = {
        "memory": "python3 -c 'x = bytearray(500 << 20)'",
        "files": "head -c 5000000 /dev/zero > x",
        "/tmp": "head -c 1500000 /dev/zero > /tmp/x; test $(stat -c %s /tmp/x) -gt 1048576",
        "home": "for i in 1 2 3; do head -c 500000 /dev/zero > ~/$i || exit 1; done",
    }
    tried = "; ".join(f"({command}) && echo {name}" for name, command in greedy.items())
    with opened(workspace, limits=limits) as sandbox:
        status, printed = run(sandbox, f"exec 2>/dev/null; {tried}; {FORK_BOMB}", workspace)
        assert sandbox.warnings == (
            "The limits on memory and processes hold for each command, not for all together.",
        )
    assert status == 0
    assert 20 < int(printed) <= 42
    assert (workspace / "x").stat().st_size == 1 << 20


def test_a_terminal_is_one_and_nobody_types(workspace: Path) -> None:
    asking = "test -t 0 && test -t 1 && stty size && echo x > /dev/tty && cat && echo asked"
    with opened(workspace) as sandbox:
        printed = run(sandbox, asking, workspace, terminal=(24, 80))
    assert printed == (0, "24 80\nx\nasked\n")


def test_input_and_output_pass_through_whole(workspace: Path) -> None:
    with opened(workspace) as sandbox:
        command = sandbox.wrap(["/bin/cat"], cwd=workspace, environment={})
        data = os.urandom(3_000_000)
        ran = subprocess.run(command.argv, env=command.environment, input=data, stdout=-1)
    assert (ran.returncode, ran.stdout) == (0, data)


def test_what_is_listed_is_there_and_the_home_is_empty(workspace: Path, tmp_path: Path) -> None:
    for name in ("read", "written"):
        (tmp_path / "home" / name).mkdir()
        (tmp_path / "home" / name / "file").write_text(name)
    looking = """echo ~; ls -A ~; cat ~/read/file ~/written/file; echo more > ~/written/file
    echo x > ~/read/file; basename "$PWD"; echo "$GIVEN"; echo x > new; exit 3"""
    policy = {"readable": (tmp_path / "home/read",), "writable": (tmp_path / "home/written",)}
    given = {**os.environ, "GIVEN": "two\nlines", "SECRET": "hidden"}
    with opened(workspace, **policy, environment=("PATH", "GIVEN")) as sandbox:
        argv = ["/bin/bash", "-c", looking]
        command = sandbox.wrap(argv, cwd=workspace, environment=given)
        ran = subprocess.run(command.argv, env=command.environment, capture_output=True, text=True)
    here = f"{tmp_path}/home\n{workspace.name}\nread\nwritten\nreadwritten"
    assert ran.stdout == f"{here}{workspace.name}\ntwo\nlines\n"
    assert "Read-only file system" in ran.stderr
    assert ran.returncode == 3
    assert (tmp_path / "home/written/file").read_text() == "more\n"
    assert (tmp_path / "home/read/file").read_text() == "read"
    assert (workspace / "new").exists()


def test_what_cannot_be_is_refused(workspace: Path) -> None:
    with (
        pytest.raises(ConfigError, match="listed hosts only") as listed,
        opened(workspace, network="listed", hosts=("pypi.org",)),
    ):
        pass
    assert "sandboxNetwork" in listed.value.hint
    with pytest.raises(ConfigError, match="home"), opened(workspace.parent):
        pass
    with opened(workspace) as sandbox, pytest.raises(ConfigError, match="not to be seen"):
        sandbox.wrap(["true"], cwd=workspace.parent, environment={})


def test_a_daemon_elsewhere_or_none_is_no_sandbox(
    docker_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://user:password@example.org:2375")
    found = find_sandbox("docker")
    assert found.open is None
    assert "its daemon is not on this machine" in found.reason
    assert "password" not in found.reason
    monkeypatch.setenv("DOCKER_HOST", f"{docker_address}-missing")
    found = find_sandbox("docker")
    assert found.open is None
    assert "daemon" in found.reason
    assert "as good as root" in found.fix


def test_without_docker_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_sandbox("docker").reason == "docker is not installed"
    assert not open_sandbox(SandboxPolicy(), tmp_path, backend="docker").confines


def test_marks_are_told_by_their_names() -> None:
    from roo_code.sandbox.docker_launcher import MARKS

    assert all(name.startswith(MARKS) for name in (MARK_VARIABLE, KIND_VARIABLE))
