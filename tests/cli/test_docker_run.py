"""Docker as the sandbox of the whole program."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.builtin_tools.test_user_tools import GREET
from tests.cli.conftest import Roo, calls, completion
from tests.sandbox.docker_daemon import containers, daemon

LOOK = "cat calc.py; ls -A ~; touch /usr/was-here; test -e /.dockerenv && echo in a container"


@pytest.fixture
def docker_host() -> Iterator[str]:
    with daemon() as address:
        yield address


def ask(roo: Roo, *words: str, **environment: str) -> str:
    environ = roo.environment | environment
    command = [*roo.program, *words]
    return subprocess.run(
        command, env=environ, cwd=roo.workspace, capture_output=True, text=True, check=True
    ).stdout


def test_a_run_uses_docker_and_the_doctor_says_what_that_means(roo: Roo, docker_host: str) -> None:
    ask(roo, "config", "set", "sandboxBackend", "docker")
    (roo.home / "tools").mkdir(parents=True)
    peek = GREET.replace('f"Hello, {arguments.who}!"', "str(__import__('os').listdir('/'))")
    (roo.home / "tools" / "greet.py").write_text(peek)
    server = roo.serve(
        calls(execute_command={"command": LOOK}), calls(greet={"who": "Ada"}), completion("Done.")
    )
    required = ("--sandbox", "required", "--approve", "all")
    done = roo.run(*required, "-p", "Look.", DOCKER_HOST=docker_host)
    assert done.returncode == 0, done.stderr
    looked = str(server.requests[1].body["messages"][-1])
    assert "def add" in looked
    assert "Read-only file system" in looked
    assert "in a container" in looked
    assert ".dockerenv" in str(server.requests[2].body["messages"][-1])
    assert containers(docker_host) == []
    told = ask(roo, "doctor", DOCKER_HOST=docker_host)
    assert "docker works here" in told
    assert "(group docker) is as good as root" in told
    missing = roo.run(*required, "-p", "Look.", DOCKER_HOST=f"{docker_host}-missing")
    assert "Commands are refused, for there is no sandbox: docker cannot be used" in missing.stderr
    assert "in a container" not in missing.stderr
