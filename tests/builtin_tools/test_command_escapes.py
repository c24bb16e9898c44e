"""Ways out of the sandbox, tried through the tools themselves. Without it, they work."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builtin_tools.confined_calls import ConfinedDriver, ConfinedUser, confined_user
from tests.sandbox.box import SECRET, uid_of, users, works_here

pytestmark = pytest.mark.skipif(not works_here(), reason="no sandbox works here")

ESCAPED = "it got out"
# Each prints that it got out only if it did.
COMMANDS = {
    "write outside": f"echo x > {{outside}}/new && echo {ESCAPED}",
    "write through a link": f"ln -s {{outside}}/kept link && echo x > link && echo {ESCAPED}",
    "delete what is kept": f"rm {{outside}}/kept && echo {ESCAPED}",
    "read the home": "cat {home}/secret",
    "read through a link": "ln -s {home}/secret link && cat link",
    "read what is beside the workspace": "cat ../outside/kept",
    "see other processes": f"test -e /proc/{{pid}} && echo {ESCAPED}",
    "read the environment of others": "cat /proc/{pid}/environ; env",
    "signal other processes": f"kill -0 {{pid}} && echo {ESCAPED}",
    "trace": "python3 -c 'import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0) or "
    f'print("{ESCAPED}")\'',
    "reach the network": "python3 -c 'import socket; "
    f'socket.create_connection(("127.0.0.1", {{port}})); print("{ESCAPED}")\'',
    "mount": f"mount -t tmpfs none . && echo {ESCAPED}",
    "plant a hook": f"echo x > .git/hooks/post-commit && echo {ESCAPED}",
}
OF_ROOT = {"mount", "plant a hook"}
"""Shown by tests of the sandbox to work outside; not tried here."""


@pytest.fixture(scope="session")
def confined_drivers() -> Iterator[dict[str, ConfinedDriver]]:
    started: dict[str, ConfinedDriver] = {}
    yield started
    for driver in started.values():
        driver.close()


@pytest.fixture(params=users())
def user(
    request: pytest.FixtureRequest, confined_drivers: dict[str, ConfinedDriver]
) -> Iterator[ConfinedUser]:
    name: str = request.param
    if name not in confined_drivers:
        confined_drivers[name] = ConfinedDriver(uid_of(name))
    with confined_user(name, confined_drivers[name]) as found:
        yield found


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening,), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket) -> None:
    while True:
        try:
            listening.accept()[0].close()
        except OSError:
            return


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_not_get_out(user: ConfinedUser, port: int, name: str) -> None:
    filled = {"outside": user.outside, "home": user.home, "pid": os.getpid(), "port": port}
    command = COMMANDS[name].format(**filled)
    (user.workspace / ".git" / "hooks").mkdir(parents=True)
    said = user.call("execute_command", command=command)["content"]
    assert "Command executed" in said
    assert ESCAPED not in said
    assert SECRET not in said
    assert (user.outside / "kept").read_text() == SECRET
    assert [path.name for path in user.outside.iterdir()] == ["kept"]
    for path in user.workspace.glob("link"):
        path.unlink()
    if name not in OF_ROOT and (os.geteuid() != 0 or user.outside.stat().st_uid == 0):
        free = user.call("execute_command", mode="off", command=command)["content"]
        assert ESCAPED in free or SECRET in free or "ROO_ACTIVE" in free


def test_variables_that_are_not_listed_do_not_come_in(user: ConfinedUser) -> None:
    for mode in ("required", "off"):
        said = user.call("execute_command", mode=mode, command="env")["content"]
        assert "PATH=" in said
        assert "MY_API_KEY" not in said
        assert SECRET not in said


def test_a_fork_bomb_and_a_glutton_are_stopped(user: ConfinedUser) -> None:
    bomb = (
        "python3 -c 'import os, time\n"
        "started = 0\n"
        "try:\n"
        "    for _ in range(300):\n"
        "        if os.fork() == 0: time.sleep(1000)\n"
        "        started += 1\n"
        "except BlockingIOError: pass\n"
        'print("started", started)\''
    )
    said = user.call("execute_command", command=bomb)["content"]
    assert int(said.split("started ")[1].split()[0]) < 70
    glutton = "python3 -c 'x = bytearray(2000 << 20)' && echo full"
    assert "full" not in user.call("execute_command", command=glutton)["content"].split("Output")[1]


def test_builds_work_in_the_sandbox(user: ConfinedUser) -> None:
    (user.workspace / "hello.c").write_text('#include <stdio.h>\nint main() { puts("hello"); }\n')
    (user.workspace / "Makefile").write_text("all: hello.c\n\t@cc -o hello hello.c && ./hello\n")
    (user.workspace / "test_it.py").write_text(
        "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self): pass\n"
    )
    for command, printed in {
        "make": "hello",
        "python3 -m unittest": "OK",
        "git init -q . && git add -A && git status --short && git diff --cached --stat":
        "files changed",
    }.items():  # fmt: skip
        said = user.call("execute_command", command=command)["content"]
        assert printed in said, said


TOOL = """
import os, socket
from pathlib import Path
from pydantic import BaseModel
from roo_code import Tool, ToolContext

Path({ran!r}).touch()

class PokeInput(BaseModel):
    code: str

class Poke(Tool[PokeInput]):
    name = "poke"
    description = "Runs Python."
    group = "read"
    input_type = PokeInput

    async def execute(self, arguments: PokeInput, context: ToolContext) -> str:
        return str(eval(arguments.code))
"""
POKES = {
    "write outside": "Path({outside!r}, 'new').write_text('x')",
    "read the home": "Path({home!r}, 'secret').read_text()",
    "see other processes": "os.kill({pid}, 0)",
    "reach the network": "socket.create_connection(('127.0.0.1', {port}))",
    "write to its own code": "Path({home!r}, 'tools', 'poke.py').write_text('x')",
}


@pytest.mark.parametrize("code", POKES.values(), ids=POKES.keys())
def test_a_users_tool_does_not_get_out(user: ConfinedUser, port: int, code: str) -> None:
    if user.base.stat().st_uid != os.geteuid():
        pytest.skip("our Python is not this user's to read")
    ran = user.outside / "ran"
    (user.home / "tools").mkdir()
    (user.home / "tools" / "poke.py").write_text(TOOL.replace("{ran!r}", repr(str(ran))))
    places = {"outside": str(user.outside), "home": str(user.home)}
    code = code.format(**places, pid=os.getpid(), port=port)
    free = user.call("poke", mode="off", code=code)
    assert not free["is_error"], free
    for path in user.outside.glob("[nr]*"):
        path.unlink()
    (user.home / "tools" / "poke.py").write_text(
        TOOL.replace("Path({ran!r}).touch()", f"Path({str(user.workspace / 'ran')!r}).touch()")
    )
    held = user.call("poke", code=code)
    assert held["is_error"]
    assert SECRET not in held["content"]
    assert [path.name for path in user.outside.iterdir()] == ["kept"]
    assert Path(user.workspace, "ran").exists()  # so it did run, in there
