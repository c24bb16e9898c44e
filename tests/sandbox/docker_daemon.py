"""A Docker daemon for the tests alone: its own files, socket and containers."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 30.0


@contextmanager
def daemon() -> Generator[str]:
    """Its address, which any user may speak to; where there can be none, the test is skipped."""
    missing = [name for name in ("docker", "dockerd", "setpriv") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        pytest.skip(f"no daemon: {', '.join(missing) or 'needs root'}")
    folder = Path(tempfile.mkdtemp(prefix="roo-docker-"))
    folder.chmod(0o755)
    address = f"unix://{folder}/socket"
    log = folder / "log"
    with log.open("wb") as opened:
        process = subprocess.Popen(
            [
                "setpriv", "--pdeathsig", "TERM", "dockerd", "--host", address, "--bridge=none",
                "--iptables=false", "--storage-driver=vfs", f"--data-root={folder}/data",
                f"--exec-root={folder}/exec", f"--pidfile={folder}/pid",
                "--shutdown-timeout=1",
            ],
            stdout=opened, stderr=opened, start_new_session=True,
        )  # fmt: skip
    try:
        if not _answers(process, address):
            last = log.read_text().strip().splitlines()[-1:]
            pytest.skip(f"no daemon: dockerd does not start here ({last})")
        (folder / "socket").chmod(0o666)
        yield address
    finally:
        process.terminate()
        process.wait()
        for mounted in reversed(_mounts_below(folder)):
            subprocess.run(["umount", "--lazy", mounted], check=True)
        shutil.rmtree(folder)


def containers(address: str) -> list[str]:
    """All, in whatever state."""
    argv = ["docker", "--host", address, "ps", "--all", "--format", "{{.Names}} {{.State}}"]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def _mounts_below(folder: Path) -> list[str]:
    """The daemon leaves one for each kind of network it has used."""
    lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    mounts = [line.split()[1] for line in lines]
    return [point for point in mounts if Path(point).is_relative_to(folder)]


def _answers(process: subprocess.Popen[bytes], address: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    asking = ["docker", "--host", address, "version"]
    while process.poll() is None and time.monotonic() < deadline:
        if subprocess.run(asking, capture_output=True, check=False).returncode == 0:
            return True
        time.sleep(0.02)
    return False


def keepers(address: str) -> list[int]:
    """Processes that start a container or see to its end."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            if address.encode() in words and not words[0].endswith(b"dockerd"):
                found.append(int(entry.parent.name))
    return found
