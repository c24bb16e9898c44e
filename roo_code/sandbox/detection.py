"""Which sandbox this machine has, found out by trying it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roo_code.errors import ConfigError
from roo_code.sandbox.bubblewrap import Bubblewrap, Programs
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.sandbox import NoSandbox, Sandbox
from roo_code.sandbox.sandlock_backend import Sandlock, SandlockPrograms

_SECONDS = 10

Opener: TypeAlias = Callable[[SandboxPolicy, Path], Sandbox]


class Found(NamedTuple):
    """How to open a sandbox that works here, or why there is none and what to do about it."""

    open: Opener | None
    reason: str = ""
    fix: str = ""


def open_sandbox(policy: SandboxPolicy, workspace: Path) -> Sandbox:
    """The best that this machine has; ask it whether it `confines`. Close it after use."""
    found = find_sandbox()
    if found.open is None:
        return NoSandbox(policy, reason=f"{found.reason}. {found.fix}")
    return found.open(policy, workspace)


def find_sandbox() -> Found:
    """Tried once for a search path: what a machine allows does not change while we run."""
    return _find(os.environ.get("PATH", os.defpath))


@cache
def _find(path: str) -> Found:
    if sys.platform != "linux":
        return Found(None, "there is none for this system", "Use a container or a Linux machine.")
    bubblewrap = _find_bubblewrap(path)
    if bubblewrap.open is not None:
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
        return Found(opener)
    return Found(
        None,
        f"bubblewrap may not make a sandbox here ({said})",
        "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, an AppArmor profile "
        "for bwrap, or for a container: --security-opt seccomp=unconfined.",
    )


def _find_sandlock(path: str) -> Found:
    found, missing = _programs(("setpriv", "prlimit", "timeout"), path)
    if missing or find_spec("sandlock") is None:
        return Found(None)
    opener = partial(Sandlock, programs=SandlockPrograms(*found))
    return Found(opener if _tried(opener) is None else None)


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
            command = sandbox.wrap(["/bin/sh", "-c", ":"], cwd=Path(folder), environment={})
            tried = _run(command.argv, command.environment)
        finally:
            sandbox.close()
    if tried.returncode == 0:
        return None
    return next(iter(tried.stderr.strip().splitlines()), f"exit status {tried.returncode}")


def _run(
    argv: Sequence[str], environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv, env=environment, capture_output=True, text=True, errors="replace",
            timeout=_SECONDS, check=False, start_new_session=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 1, "", f"no answer within {_SECONDS} s")
    except OSError as error:
        return subprocess.CompletedProcess(argv, 1, "", str(error))
