import contextlib
import os
import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.policy import Limits, SandboxPolicy
from roo_code.sandbox.sandlock_backend import Sandlock, SandlockPrograms
from roo_code.workspace.processes import ProcessGroup
from tests.builtin_tools.calls import PATIENCE
from tests.sandbox.test_escapes import CONNECT, served

pytestmark = pytest.mark.skipif(find_spec("sandlock") is None, reason="sandlock is not installed")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("home", "workspace"):
        (tmp_path / name).mkdir()
    (tmp_path / "home/secret").write_text("secret")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "workspace"


def opened(workspace: Path, **policy: Any) -> contextlib.closing[Sandlock]:
    found = (shutil.which(name) for name in ("setpriv", "prlimit", "timeout"))
    programs = SandlockPrograms(*(path or "" for path in found))
    return contextlib.closing(Sandlock(SandboxPolicy(**policy), workspace, programs))


def start(sandbox: Sandlock, command: str, workspace: Path) -> ProcessGroup:
    argv = ["/bin/bash", "-c", command]
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    wrapped = sandbox.wrap(argv, cwd=workspace, environment=environment)
    return ProcessGroup(wrapped.argv, cwd=workspace, environment=wrapped.environment)


def run(command: str, workspace: Path, **policy: Any) -> tuple[int, str]:
    with opened(workspace, **policy) as sandbox:
        group = start(sandbox, command, workspace)
        printed = b"".join(iter(lambda: group.read(1 << 16), b""))
        status = group.wait()
        group.close()
    return status, printed.decode()


@pytest.mark.parametrize(
    "command",
    [
        "echo x > ../new",
        "cat ../home/secret",
        "ln -s ../home/secret link && cat link",
        "cat /etc/shadow",
        "exec 3>>/proc/sys/kernel/core_pattern",
        "kill -0 HOST",
        "cat /proc/HOST/environ",
        "unshare --user true",
        "mount -t tmpfs none .",
        "grep -E 'Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status && test $UID = 0",
    ],
)
def test_what_is_outside_is_refused(workspace: Path, command: str) -> None:
    status, printed = run(command.replace("HOST", str(os.getpid())), workspace)
    assert status != 0
    assert "secret\n" not in printed


def test_the_network_is_off_for_listed_hosts_or_on(workspace: Path) -> None:
    import socket

    with served(socket.AF_INET, ("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        command = CONNECT.format(f'socket.AF_INET, ("127.0.0.1", {port})')
        assert run(command, workspace)[0] != 0
        assert run(command, workspace, network="listed", hosts=("localhost",))[0] != 0
        assert run(command, workspace, network="listed", hosts=(f"localhost:{port}",))[0] == 0
        assert run(command, workspace, network="on")[0] == 0
        listening.shutdown(socket.SHUT_RDWR)


def test_limits_hold(workspace: Path) -> None:
    fill = "python3 -c 'x = bytearray(500 << 20)'"
    assert run(fill, workspace)[0] == 0
    assert run(fill, workspace, limits=Limits(memory=200 << 20))[0] != 0
    write = "head -c 2000000 /dev/zero > x"
    assert run(write, workspace, limits=Limits(file_size=1 << 20))[0] != 0
    assert run("sleep 1000", workspace, limits=Limits(wall_seconds=0.5))[0] in {137, -9}


def test_what_programs_need_works(workspace: Path) -> None:
    assert run("exit 3", workspace) == (3, "")
    assert run("echo x > ~/x && cat ~/x | sort; mktemp > /dev/null", workspace) == (0, "x\n")
    git = "git init -q . && git -c user.name=x -c user.email=x@x commit --allow-empty -qm x"
    assert run(git, workspace) == (0, "")


def test_a_command_that_is_stopped_may_say_its_last_words(workspace: Path) -> None:
    said = "trap 'echo bye > last; exit 7' TERM; touch started; while :; do sleep 0.01; done"
    with opened(workspace) as sandbox:
        group = start(sandbox, said, workspace)
        deadline = time.monotonic() + PATIENCE
        while not (workspace / "started").exists():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        group.stop()
        group.wait()
        assert (workspace / "last").read_text() == "bye\n"
        group.close()


def test_too_much_is_refused(workspace: Path) -> None:
    with pytest.raises(ConfigError, match="home"):
        opened(workspace.parent)
    with opened(workspace) as sandbox, pytest.raises(ConfigError, match="not to be seen"):
        sandbox.wrap(["true"], cwd=workspace.parent, environment={})
