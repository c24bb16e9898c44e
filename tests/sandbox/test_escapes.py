"""Ways out of a sandbox. Those that do no harm are shown to work without one."""

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.sandbox.box import SECRET, Box, bystander

# Each ends with 0 if it gets out.
FILES = {
    "write outside": "echo x > $OUTSIDE/new",
    "write outside by the way up": "echo x > ../outside/new",
    "write through a link to a file": "ln -s $OUTSIDE/kept link && echo x > link",
    "write through a link to a folder": "ln -s $OUTSIDE folder && echo x > folder/new",
    "overwrite what is kept": "cp /etc/passwd $OUTSIDE/kept",
    "delete what is kept": "rm $OUTSIDE/kept",
    "link hard to a file outside": "ln $OUTSIDE/kept here && cat here",
    "read the home": "cat $USERS_HOME/secret",
    "read what another task keeps": "cat $OUTSIDE/kept",
    "read through a link": "ln -s $USERS_HOME/secret link && cat link",
    "list what is beside the workspace": "ls ../outside",
    "write to the home for later": "echo x >> $USERS_HOME/.bashrc && test -e $USERS_HOME/secret",
}


@pytest.mark.parametrize("command", FILES.values(), ids=FILES.keys())
def test_files_outside_are_out_of_reach(box: Box, command: str) -> None:
    ran = box.run(command)
    assert ran.status != 0
    assert SECRET not in ran.output
    assert sorted(path.name for path in box.outside.iterdir()) == ["kept"]
    assert (box.outside / "kept").read_text() == SECRET
    assert sorted(path.name for path in box.home.iterdir()) == ["secret"]
    for path in box.workspace.iterdir():
        path.unlink()
    assert box.run(command, bare=True).status == 0


@pytest.fixture
def victim(box: Box) -> Iterator[dict[str, str]]:
    with bystander(box) as known:
        yield known


SEIZE = "python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace({}, {}, 0, 0) != 0)'"
PROCESSES = {
    "see it": "test -e /proc/$VICTIM",
    "read its environment": f"grep -q {SECRET} /proc/$VICTIM/environ",
    "read its files": "cat /proc/$VICTIM/root$OUTSIDE/kept",
    "ask whether it is there": "kill -0 $VICTIM",
    "stop and go on": "kill -STOP $VICTIM && kill -CONT $VICTIM",
    "trace it": SEIZE.format("0x4206", "$VICTIM").replace("$VICTIM", "'$VICTIM'"),
    "be traced": SEIZE.format("0", "0"),
}


@pytest.mark.parametrize("command", PROCESSES.values(), ids=PROCESSES.keys())
def test_processes_outside_are_out_of_reach(box: Box, victim: dict[str, str], command: str) -> None:
    ran = box.run(command, given=victim)
    assert ran.status != 0
    assert SECRET not in ran.output
    assert box.run(command, given=victim, bare=True).status == 0


def test_a_signal_to_all_reaches_only_those_inside(box: Box, victim: dict[str, str]) -> None:
    assert box.run("kill -9 -1; kill -9 0").status in {137, -9}


def served(kind: socket.AddressFamily, address: str | tuple[str, int]) -> socket.socket:
    listening = socket.socket(kind)
    listening.bind(address)
    listening.listen()

    def accept() -> None:
        while True:
            try:
                listening.accept()[0].close()
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    return listening


CONNECT = """python3 -c '
import socket, sys
kind, address = {}
socket.socket(kind).connect(address)'"""


@pytest.mark.parametrize("network", ["off", "listed"])
def test_the_network_of_this_machine_is_out_of_reach(box: Box, network: str) -> None:
    with served(socket.AF_INET, ("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        command = CONNECT.format(f'socket.AF_INET, ("127.0.0.1", {port})')
        ran = box.run(command, network=network)
        assert ran.status == 1
        assert "ConnectionRefusedError" in ran.output
        assert box.run(command, network="on").status == 0
        said = "The network is off: sandboxHosts lists no hosts." in ran.warnings
        assert said == (network == "listed")
        listening.shutdown(socket.SHUT_RDWR)


def test_no_other_machine_can_be_reached(box: Box) -> None:
    ran = box.run(CONNECT.format('socket.AF_INET, ("192.0.2.1", 80)'))
    assert "Network is unreachable" in ran.output
    ran = box.run("python3 -c 'import socket; print(socket.if_nameindex())'")
    assert ran.output == "[(1, 'lo')]\n"


def test_sockets_with_names_are_out_of_reach(box: Box) -> None:
    abstract = f"\0roo-{os.urandom(8).hex()}"
    for address in (abstract, str(box.outside / "socket")):
        with served(socket.AF_UNIX, address) as listening:
            if not address.startswith("\0"):
                os.chmod(address, 0o666)  # noqa: PTH101 - it is the name of a socket
            command = CONNECT.format(f"socket.AF_UNIX, {address!r}".replace("'", '"'))
            assert box.run(command).status == 1
            assert box.run(command, bare=True).status == 0
            listening.shutdown(socket.SHUT_RDWR)


ROOTS_WAYS = {
    "mount": "mount -t tmpfs none .",
    "mount anew to write": "mount -o remount,rw /usr",
    "unmount": "umount /etc",
    "own user namespace": "unshare --user --map-root-user true",
    "own mounts": "unshare --mount true",
    "enter namespaces": "nsenter --target 1 --mount true",
    "change the root": "chroot . /bin/true",
    "write to the system": "touch /usr/x /etc/x /opt/x /x; test -e /usr/x -o -e /etc/x -o -e /x",
    "make a device": "mknod disk b 254 0",
    "read a disk or the memory": "cat /dev/[vs]da* /dev/mem /proc/kcore | head -c 1 | grep -q ^",
    "write to settings of the kernel": "exec 3>>/proc/sys/kernel/core_pattern",
    "press the keys of the kernel": "exec 3>>/proc/sysrq-trigger",
    "read passwords": "cat /etc/shadow /etc/gshadow /etc/sudoers",
    "read settings with passwords": "cat /etc/gitconfig /etc/npmrc /etc/pip.conf",
    "become somebody": "setpriv --reuid 1 true || setpriv --regid 1 true",
    "make a file of root's rights": "cp /bin/true mine && chmod u+s mine",
    "make one in one go": "python3 -c 'import os; os.open(\"x\", os.O_CREAT, 0o4755)'",
    "set the clock": "date -s @0",
    "have a capability": "grep -E 'Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status",
    "gain rights by running": "grep -E 'NoNewPrivs:.*0' /proc/self/status",
    "find sockets of services": "ls /run/* /var/run/* /sys/fs/cgroup",
}


@pytest.mark.parametrize("command", ROOTS_WAYS.values(), ids=ROOTS_WAYS.keys())
def test_being_root_inside_is_of_no_use(box: Box, command: str) -> None:
    assert box.run(command).status != 0


REFUSED = {
    "process_vm_readv": 310, "bpf": 321, "keyctl": 250, "userfaultfd": 323,
    "perf_event_open": 298, "io_uring_setup": 425, "open_tree": 428, "fsopen": 430,
}  # fmt: skip


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_the_kernel_refuses_what_programs_do_not_need(box: Box) -> None:
    ran = box.run(
        "python3 -c '\nimport ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"for number in {[*REFUSED.values()]}:\n"
        "    print(libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())'"
    )
    assert ran.output == "-1 1\n" * len(REFUSED)


def test_nothing_can_be_typed_into_the_terminal(box: Box) -> None:
    ran = box.run(
        "python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b\"x\")'", terminal=True
    )
    assert "PermissionError: [Errno 1]" in ran.output


def test_the_environment_is_a_list_and_not_an_inheritance(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = box.run("env | cut -d= -f1 | sort")
    assert {"PATH", "HOME", "TMPDIR"} <= {*ran.output.split()}
    assert not {"PYTEST_CURRENT_TEST", "SSH_AUTH_SOCK", "PYTHONDONTWRITEBYTECODE"} & {
        *ran.output.split()
    }
    assert "PYTHONDONTWRITEBYTECODE" in box.run("env", bare=True).output


def test_what_git_runs_outside_cannot_be_planted(box: Box) -> None:
    assert box.run("git init -q . && mkdir -p .git/hooks", bare=True).status == 0
    for command in (
        "echo x > .git/hooks/post-commit",
        "git config core.pager evil",
        "mv .git/hooks .git/old",
        "mv .git old && mkdir .git",
    ):
        assert box.run(command).status != 0
    commit = "git -c user.name=x -c user.email=x@x commit -qm x"
    assert box.run(f"echo x > file && git add file && {commit}").status == 0
    assert box.run("rm -rf .git").status != 0
    assert "evil" not in (box.workspace / ".git/config").read_text()


@pytest.mark.parametrize("made", [".git/modules/one/hooks", ".roo", ".vscode", ".git/refs"])
def test_what_steers_others_cannot_be_changed(box: Box, made: str) -> None:
    assert box.run(f"mkdir -p {made} .git; echo '*' > .rooignore", bare=True).status == 0
    hooks = made if made.endswith("hooks") else ".git/hooks" if ".git" in made else made
    for command in (
        f"echo x > {hooks}/new",
        f"rm -rf {hooks} && mkdir {hooks} && echo x > {hooks}/new",
        f"ln -s /tmp x && mv -T x {hooks}",
        f"mv {hooks.split('/')[0]} old",
        "echo > .rooignore",
        "rm .rooignore",
        "echo x > y && mv y .rooignore",
    ):
        assert box.run(command).status != 0
    assert not (box.workspace / hooks / "new").exists()
    assert (box.workspace / ".rooignore").read_text() == "*\n"
