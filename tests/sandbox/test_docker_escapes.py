"""The ways out that are tried on bubblewrap, on Docker: many in one container, it is slow."""

import os
import shlex
import socket
from typing import Any

import pytest

from tests.sandbox.box import SECRET, Box
from tests.sandbox.test_escapes import CONNECT, FILES, PROCESSES, REFUSED, ROOTS_WAYS, served

GOT_OUT = "this way leads out: "


def ways_out(box: Box, ways: dict[str, str], **how: Any) -> tuple[set[str], str]:
    """The names of those that got out, and all that was printed."""
    tried = (
        f"bash -c {shlex.quote(way)} && echo {shlex.quote(GOT_OUT + name)}"
        for name, way in ways.items()
    )
    ran = box.run("\n".join((*tried, "rm -rf ./*; echo all tried")), **how)
    assert ran.output.endswith("all tried\n")
    assert (ran.name, ran.left) == ("docker", 0)
    lines = ran.output.splitlines()
    return {line.removeprefix(GOT_OUT) for line in lines if line.startswith(GOT_OUT)}, ran.output


def test_files_outside_are_out_of_reach(docker_box: Box) -> None:
    got_out, printed = ways_out(docker_box, FILES)
    assert got_out == set()
    assert SECRET not in printed
    assert [path.name for path in docker_box.outside.iterdir()] == ["kept"]
    assert (docker_box.outside / "kept").read_text() == SECRET
    assert [path.name for path in docker_box.home.iterdir()] == ["secret"]


def test_processes_outside_are_out_of_reach(docker_box: Box, docker_victim: dict[str, str]) -> None:
    got_out, printed = ways_out(docker_box, PROCESSES, given=docker_victim)
    assert got_out == set()
    assert SECRET not in printed


def test_a_signal_to_all_reaches_only_those_inside(
    docker_box: Box, docker_victim: dict[str, str]
) -> None:
    assert docker_box.run("kill -9 -1; kill -9 0").status == 137


def test_being_root_inside_is_of_no_use(docker_box: Box) -> None:
    assert ways_out(docker_box, ROOTS_WAYS)[0] == set()


def test_the_network_is_off_or_that_of_this_machine(docker_box: Box) -> None:
    abstract = f"\0roo-{os.urandom(8).hex()}"
    with (
        served(socket.AF_INET, ("127.0.0.1", 0)) as listening,
        served(socket.AF_UNIX, abstract) as named,
    ):
        port = listening.getsockname()[1]
        local = CONNECT.format(f'socket.AF_INET, ("127.0.0.1", {port})')
        ways = {
            "a port": local,
            "a name": CONNECT.format(f"socket.AF_UNIX, {abstract!r}".replace("'", '"')),
            "the world": CONNECT.format('socket.AF_INET, ("192.0.2.1", 80)'),
        }
        got_out, printed = ways_out(docker_box, ways)
        assert got_out == set()
        assert "Network is unreachable" in printed
        assert docker_box.run(local, network="on").status == 0
        for each in (listening, named):
            each.shutdown(socket.SHUT_RDWR)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_the_kernel_refuses_what_programs_do_not_need(docker_box: Box) -> None:
    ran = docker_box.run(
        "python3 -c '\nimport ctypes, fcntl, termios\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"for number in {[*REFUSED.values()]}:\n"
        "    print(libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())\n"
        "libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]\n"
        "for request in (termios.TIOCSTI, termios.TIOCSTI | 1 << 32):\n"
        '    print(libc.ioctl(0, request, b"x"), ctypes.get_errno())\'',
        terminal=True,
    )
    assert ran.output == "-1 1\n" * (len(REFUSED) + 2)


def test_what_steers_others_cannot_be_changed(docker_box: Box) -> None:
    made = "git init -q . && rm -rf .git/hooks && mkdir .roo && echo '*' > .rooignore"
    assert docker_box.run(made, bare=True).status == 0
    commit = "echo x > f && git add f && git -c user.name=x -c user.email=x@x commit -qm x"
    got_out, _ = ways_out(
        docker_box,
        {
            line: line
            for line in (
                commit,
                "echo x > .git/hooks/post-commit",
                "git config core.pager evil",
                "mv .git/hooks .git/old",
                "mv .git old && mkdir .git",
                "rm -rf .git",
                "echo x > .roo/new",
                "ln -s /tmp x && mv -T x .roo",
                "echo > .rooignore",
                "rm .rooignore",
                "echo x > y && mv y .rooignore",
            )
        },
    )
    assert got_out == {commit}
    assert "evil" not in (docker_box.workspace / ".git/config").read_text()
    assert (docker_box.workspace / ".rooignore").read_text() == "*\n"
    assert [*(docker_box.workspace / ".git/hooks").iterdir()] == []
    assert (docker_box.workspace / ".git/hooks").stat().st_uid == docker_box.uid
