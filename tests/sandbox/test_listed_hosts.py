"""Real programs in a sandbox whose network is a list of hosts."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.bubblewrap import Bubblewrap, Programs
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.sandbox import Sandbox
from roo_code.workspace.process_list import living
from tests.providers.certificate import PEM, server_context
from tests.sandbox.box import ROOT, Box, Ran, works_here
from tests.sandbox.test_bubblewrap import start, wait_for
from tests.sandbox.test_escapes import FILES, ROOTS_WAYS
from tests.sandbox.test_limits import FORK_BOMB
from tests.sandbox.web_servers import HERE, make_package_index, web_server

pytestmark = pytest.mark.skipif(not works_here(), reason="bubblewrap does not work here")

WAYS = ROOTS_WAYS | {name: FILES[name] for name in ("write outside", "read the home")}
FETCH = "python3 -c 'import urllib.request as r; print(r.urlopen(\"{}\").read().decode())'"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (folder / "page").write_text("fetched")
    make_package_index(folder)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(folder / "repository")]
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder / "repository")], check=True)
    (folder / "repository/kept").write_text("cloned")
    for step in (["add", "."], ["commit", "-qm", "x"], ["update-server-info"]):
        subprocess.run([*git, *step], check=True)
    return folder


@pytest.fixture(scope="module")
def port(site: Path) -> Iterator[int]:
    with web_server(site) as port:
        yield port


def run(box: Box, command: str, *hosts: str) -> Ran:
    return box.run(command, network="listed", hosts=hosts)


PROGRAMS = {
    "curl": "curl -sSf http://WHERE/page",
    "curl by a tunnel": "curl -sSfp http://WHERE/page",
    "python": FETCH.format("http://WHERE/page"),
    "git": "git clone -q http://WHERE/repository/.git there && cat there/kept",
    "pip": "python3 -m pip download -q --disable-pip-version-check --no-deps tiny "
    f"--index-url http://WHERE/simple --trusted-host {HERE} && echo fetched tiny*.whl",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_reach_a_listed_host(box: Box, port: int, program: str) -> None:
    if shutil.which(program.split()[0], path=os.defpath) is None and program != "python":
        pytest.skip(f"there is no {program}")
    command = PROGRAMS[program].replace("WHERE", f"{HERE}:{port}")
    ran = run(box, command, f"{HERE}:{port}")
    assert (ran.status, ran.output.split()[:1]) in [(0, ["fetched"]), (0, ["cloned"])], ran.output
    assert not any("refused" in warning for warning in ran.warnings)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_tls_is_between_the_program_and_the_host(box: Box, site: Path, tmp_path: Path) -> None:
    (box.workspace / "ca.pem").write_text(PEM[PEM.index("-----BEGIN CERT") :])
    with web_server(site, server_context(tmp_path)) as port:
        ran = run(
            box,
            f"curl -sSf --cacert ca.pem --connect-to ::{HERE}:{port} https://model.example/page",
            f"{HERE}:{port}",
        )
    assert (ran.status, ran.output) == (0, "fetched")


def test_other_hosts_and_ports_are_refused_and_it_is_told(box: Box, port: int) -> None:
    fetch = FETCH.format(f"http://{HERE}:{port}/page")
    ran = run(box, fetch, f"{HERE}:{port + 1}", "example.org")
    assert ran.status == 1
    assert f"HTTP Error 403: {HERE}:{port} was refused: it is not on sandboxHosts" in ran.output
    assert f"{HERE}:{port} was refused; it is not on sandboxHosts." in ran.warnings
    ran = run(box, FETCH.format("https://name.test/"), f"{HERE}:{port}")
    assert "403 name.test:443 was refused" in ran.output


def test_a_service_of_this_machine_is_where_it_is_outside(box: Box, port: int) -> None:
    """For programs that know of no proxy: databases and the like."""
    fetch = FETCH.format(f"http://127.0.0.1:{port}/page")
    assert run(box, fetch, f"localhost:{port}").output == "fetched\n"
    assert "ConnectionRefusedError" not in run(box, fetch, f"127.0.0.1:{port}").output
    assert "Connection refused" in run(box, fetch, f"{HERE}:{port}").output


REACH_OUT = """python3 - <<'END'
import socket
def tried(what, *kind):
    try:
        with socket.socket(*kind) as s:
            what(s)
        print("reached")
    except OSError as error:
        print(type(error).__name__, error)
for address in ("HERE", "127.0.0.1"):
    tried(lambda s: s.connect((address, PORT)), socket.AF_INET)
tried(lambda s: s.connect(("192.0.2.1", 80)), socket.AF_INET)
tried(lambda s: s.sendto(b"?", ("192.0.2.1", 53)), socket.AF_INET, socket.SOCK_DGRAM)
tried(lambda s: None, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
tried(lambda s: None, socket.AF_PACKET, socket.SOCK_RAW)
tried(lambda s: None, socket.AF_VSOCK, socket.SOCK_STREAM)
tried(lambda s: socket.getaddrinfo("example.org", 80))
print(socket.if_nameindex())
END"""


def test_there_is_no_way_around_the_proxy(box: Box, port: int) -> None:
    command = REACH_OUT.replace("HERE", HERE).replace("PORT", str(port))
    ran = run(box, command, f"{HERE}:{port}", "example.org")
    *tried, devices = ran.output.splitlines()
    assert [line.split()[0] for line in tried] == [
        "ConnectionRefusedError", "ConnectionRefusedError", "OSError", "OSError",
        "PermissionError", "PermissionError", "PermissionError", "gaierror",
    ], ran.output  # fmt: skip
    assert devices == "[(1, 'lo')]"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_proxy_leads_to_this_machine_only_where_it_was_meant(box: Box, port: int) -> None:
    curl = "curl -s --noproxy '' --proxy $http_proxy"
    ran = run(box, f"{curl} http://localhost:{port}/page", "localhost:*")
    assert ran.output == "fetched"
    for host in ("localhost", f"0.0.0.0:{port}", f"2130706434:{port}"):
        ran = run(box, f"{curl} http://{host}/page", "localhost", "*:*")
        assert "was refused" in ran.output


def test_other_walls_stand_as_before(box: Box, port: int) -> None:
    hosts = [f"{HERE}:{port}"]
    ran = box.run(FORK_BOMB, limits={"processes": 40}, network="listed", hosts=hosts)
    assert 20 < int(ran.output) <= 42
    assert ran.left == 0
    ways = "\n".join(f'({way}) && echo "got out: {name}"' for name, way in WAYS.items())
    ran = run(box, f"{ways}\necho all were tried", *hosts)
    assert "got out" not in ran.output
    assert ran.output.endswith("all were tried\n")
    assert sorted(path.name for path in box.outside.iterdir()) == ["kept"]


def test_a_broken_list_is_an_error_and_an_empty_one_is_no_network(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pypi\.org', which is not a host"):
        open_sandbox(SandboxPolicy(network="listed", hosts=("http://pypi.org",)), tmp_path)
    with closing(open_sandbox(SandboxPolicy(network="listed"), tmp_path)) as sandbox:
        assert "The network is off: sandboxHosts lists no hosts." in sandbox.warnings


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    policy = SandboxPolicy(network="listed", hosts=("example.org",))
    with closing(open_sandbox(policy, tmp_path)) as opened:
        yield opened


def said(sandbox: Sandbox, command: str, folder: Path) -> str:
    group = start(sandbox, command, folder)
    output = b"".join(iter(lambda: group.read(1 << 16), b""))
    group.wait()
    group.close()
    return output.decode()


def test_commands_of_a_sandbox_reach_each_others_servers(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("of a neighbour")
    serve = (
        "import http.server as h, os; "
        "s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler); "
        "open('new', 'w').write(str(s.server_port)); os.rename('new', 'port'); s.serve_forever()"
    )
    server = start(sandbox, f'python3 -c "{serve}"', tmp_path)
    wait_for((tmp_path / "port").exists)
    fetch = FETCH.format(f"http://localhost:{(tmp_path / 'port').read_text()}/page")
    assert said(sandbox, fetch, tmp_path) == "of a neighbour\n"
    policy = SandboxPolicy(network="listed", hosts=("example.org",))
    with closing(open_sandbox(policy, tmp_path)) as other:
        assert "Connection refused" in said(other, fetch, tmp_path)
    server.stop()
    server.close()


def test_proxies_of_outside_are_not_those_of_inside(sandbox: Sandbox, tmp_path: Path) -> None:
    given = {"https_proxy": "http://outer:3128", "NO_PROXY": "*", "PATH": os.defpath}
    inside = sandbox.wrap(["true"], cwd=tmp_path, environment=given).environment
    assert inside["https_proxy"] == inside["HTTPS_PROXY"] == inside["http_proxy"]
    assert inside["https_proxy"].startswith("http://127.0.0.1:")
    assert inside["NO_PROXY"] == inside["no_proxy"] == "localhost,127.0.0.1,::1"


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - one of them is that of the listing


def test_nothing_of_it_is_left_open(tmp_path: Path) -> None:
    policy = SandboxPolicy(network="listed", hosts=("localhost:1", "localhost:2"))
    with closing(open_sandbox(policy, tmp_path)) as sandbox:
        said(sandbox, "true", tmp_path)  # what is made with the first command stays
    before = descriptors()
    with closing(open_sandbox(policy, tmp_path)) as sandbox:
        assert descriptors() > before
        assert said(sandbox, "echo ran", tmp_path) == "ran\n"
    assert descriptors() == before
    sandbox.close()  # once more does no harm
    assert not [thread for thread in threading.enumerate() if thread.name == "sandbox proxy"]


def test_an_open_connection_does_not_keep_it_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        policy = SandboxPolicy(network="listed", hosts=(f"localhost:{port}",))
        with closing(open_sandbox(policy, tmp_path)) as sandbox:
            waiting = start(
                sandbox, f"exec 3<>/dev/tcp/127.0.0.1/{port}; touch open; cat <&3", tmp_path
            )
            wait_for((tmp_path / "open").exists)
            accepted, _ = silent.accept()
        assert waiting.wait() == 0  # for its connection was closed
        waiting.close()
        accepted.close()
    assert caplog.records == []  # nor does anybody complain


HOST = """
import os, sys
from pathlib import Path
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.workspace.processes import ProcessGroup
folder = Path(sys.argv[1])
policy = SandboxPolicy(network="listed", hosts=("example.org",))
command = open_sandbox(policy, folder).wrap(
    ["/bin/sh", "-c", "setsid sleep 1000 & touch started; sleep 1000"], cwd=folder,
    environment=os.environ)
group = ProcessGroup(command.argv, cwd=folder, environment=command.environment)
print(group._mark, flush=True)
group.wait()
"""


def test_nothing_of_it_is_left_when_we_are_killed(tmp_path: Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert host.stdout is not None
    mark = host.stdout.readline().strip()
    wait_for((tmp_path / "started").exists)
    inside = {Path(f"/proc/{pid}/ns/net").readlink() for pid in living(mark)} - {
        Path("/proc/self/ns/net").readlink()
    }
    assert len(inside) == 1
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    wait_for(lambda: not living(mark))
    assert inside.isdisjoint(networks())


def networks() -> Iterator[Path]:
    """In which any process is that we may look at."""
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):
            yield link.readlink()


def test_without_nsenter_the_network_is_off_and_it_is_said(tmp_path: Path) -> None:
    bwrap, env, prlimit, timeout = (
        shutil.which(name) or name for name in ("bwrap", "env", "prlimit", "timeout")
    )
    (tmp_path / "prlimit").symlink_to(prlimit)
    programs = Programs(bwrap, env, str(tmp_path / "prlimit"), timeout, sizes=False)
    policy = SandboxPolicy(network="listed", hosts=("localhost:1",))
    with closing(Bubblewrap(policy, tmp_path, programs)) as sandbox:
        assert (
            "The network is off: hosts cannot be let through one by one here (nsenter is not "
            "installed)." in sandbox.warnings
        )
        assert said(sandbox, "echo ${http_proxy-none}", tmp_path) == "none\n"
        assert "Connection refused" in said(sandbox, FETCH.format("http://127.0.0.1:1"), tmp_path)
