"""Which sandbox this machine has, found out by trying it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roo_code.errors import ConfigError
from roo_code.sandbox.bubblewrap import Bubblewrap, Programs
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.sandbox import NoSandbox, Sandbox
from roo_code.sandbox.sandlock_backend import Sandlock, SandlockPrograms
from roo_code.sandbox.search_path import search_path

_SECONDS = 10

Opener: TypeAlias = Callable[[SandboxPolicy, Path], Sandbox]


class Found(NamedTuple):
    """How to open a sandbox that works here, or why there is none and what to do about it."""

    open: Opener | None
    reason: str = ""
    fix: str = ""
    name: str = ""


def open_sandbox(policy: SandboxPolicy, workspace: Path, *, backend: str = "auto") -> Sandbox:
    """The best that this machine has; ask it whether it `confines`. Close it after use."""
    found = find_sandbox(backend, workspace)
    if found.open is None:
        told = f"{found.reason}. {found.fix}"
        return NoSandbox(
            policy, warning=f"Commands run without a sandbox, with all your rights: {told}"
        )
    return found.open(policy, workspace)


def find_sandbox(backend: str = "auto", workspace: Path | None = None) -> Found:
    """Tried once for a search path: what a machine allows does not change while we run."""
    path = search_path(workspace)
    if backend == "docker":
        return _find_docker(path, os.environ.get("DOCKER_HOST", ""))
    return _find(path, backend)


@cache
def _find(path: str, backend: str) -> Found:
    if sys.platform != "linux":
        return Found(None, "there is none for this system", "Use a container or a Linux machine.")
    if backend == Sandlock.name:
        return _find_sandlock(path)
    bubblewrap = _find_bubblewrap(path)
    if bubblewrap.open is not None or backend == Bubblewrap.name:
        return bubblewrap
    sandlock = _find_sandlock(path)
    return sandlock if sandlock.open is not None else bubblewrap


def _find_bubblewrap(path: str) -> Found:
    if (bwrap := shutil.which("bwrap", path=path)) is None:
        return Found(None, "bubblewrap is not installed", "apt install bubblewrap.")
    found, missing = _programs(("env", "prlimit", "timeout"), path)
    if missing:
        return Found(None, f"not found: {', '.join(missing)}", "apt install coreutils util-linux.")
    programs = Programs(bwrap, *found, sizes="--size " in _run([bwrap, "--help"]).stdout)
    opener = partial(Bubblewrap, programs=programs)
    if (said := _tried(opener)) is None:
        return Found(opener, name=Bubblewrap.name)
    return Found(
        None,
        f"bubblewrap may not make a sandbox here ({said})",
        "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, an AppArmor profile "
        "for bwrap, or for a container: --security-opt seccomp=unconfined.",
    )


def _find_sandlock(path: str) -> Found:
    found, missing = _programs(("setpriv", "prlimit", "timeout"), path)
    if missing or find_spec("sandlock") is None:
        lacking = ", ".join([*missing, *([] if find_spec("sandlock") else ["sandlock"])])
        return Found(None, f"not found: {lacking}", "pip install sandlock; apt install util-linux.")
    opener = partial(Sandlock, programs=SandlockPrograms(*found))
    if (said := _tried(opener)) is None:
        return Found(opener, name=Sandlock.name)
    return Found(None, f"sandlock does not work here ({said})", "It needs Linux 6.7 or newer.")


@cache
def _find_docker(path: str, _address: str) -> Found:
    """Never found unless it is asked for: who may use it is root, and that is for users to say."""
    from roo_code.sandbox.docker_backend import Docker  # noqa: PLC0415 - few use it
    from roo_code.sandbox.docker_client import find_daemon  # noqa: PLC0415

    if (program := shutil.which("docker", path=path)) is None:
        return Found(None, "docker is not installed", "apt install docker.io.")
    try:
        opener = partial(Docker, daemon=find_daemon(program))
    except ConfigError as error:
        return Found(None, f"docker cannot be used ({error})", error.hint)
    if (said := _tried(opener)) is None:
        return Found(opener, name=Docker.name)
    return Found(
        None,
        f"docker does not run commands here ({said})",
        "It must be on this machine, see its files, and run as root, not in a user's namespace.",
    )


def _programs(names: Sequence[str], path: str) -> tuple[list[str], list[str]]:
    """Where they are, and the names of those that are nowhere."""
    found = {name: shutil.which(name, path=path) for name in names}
    return [at for at in found.values() if at], [name for name, at in found.items() if not at]


def _tried(open: Opener) -> str | None:
    """What such a sandbox says instead of running a command, or None if it runs it."""
    with tempfile.TemporaryDirectory(prefix="roo-sandbox-") as folder:
        try:
            sandbox = open(SandboxPolicy(), Path(folder))
        except (OSError, ConfigError) as error:
            return str(error)
        try:
            command = sandbox.wrap(["/bin/sh", "-c", ": > x"], cwd=Path(folder), environment={})
            tried = _run(command.argv, command.environment)
            wrote = Path(folder, "x").exists()
        finally:
            sandbox.close()
    if tried.returncode == 0:
        return None if wrote else "what it writes is not written here"
    return next(iter(tried.stderr.strip().splitlines()), f"exit status {tried.returncode}")


def _run(
    argv: Sequence[str], environment: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv, env=dict(environment), capture_output=True, text=True, errors="replace",
            timeout=_SECONDS, check=False, start_new_session=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 1, "", f"no answer within {_SECONDS} s")
    except OSError as error:
        return subprocess.CompletedProcess(argv, 1, "", str(error))
