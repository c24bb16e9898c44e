"""Which sandbox this machine has, found out by trying it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from roo_code.errors import ConfigError
from roo_code.sandbox.bubblewrap import Bubblewrap, Programs
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.sandbox import NoSandbox, Sandbox

_SECONDS = 10


class Found(NamedTuple):
    """The programs of a sandbox that works here, or why there is none and what to do about it."""

    programs: Programs | None
    reason: str = ""
    fix: str = ""


def open_sandbox(policy: SandboxPolicy, workspace: Path) -> Sandbox:
    """The best that this machine has; ask it whether it `confines`. Close it after use."""
    found = find_bubblewrap()
    if found.programs is None:
        return NoSandbox(policy, reason=f"{found.reason}. {found.fix}")
    return Bubblewrap(policy, workspace, found.programs)


def find_bubblewrap() -> Found:
    """Tried once for a search path: what a machine allows does not change while we run."""
    return _find(os.environ.get("PATH", os.defpath))


@cache
def _find(path: str) -> Found:
    if sys.platform != "linux":
        return Found(None, "bubblewrap is for Linux only", "Use a container or a Linux machine.")
    if (bwrap := shutil.which("bwrap", path=path)) is None:
        return Found(None, "bubblewrap is not installed", "apt install bubblewrap.")
    paths = {name: shutil.which(name, path=path) for name in ("env", "prlimit", "timeout")}
    if missing := [name for name, found in paths.items() if found is None]:
        return Found(None, f"not found: {', '.join(missing)}", "apt install coreutils util-linux.")
    usage = _run([bwrap, "--help"]).stdout
    env, prlimit, timeout = (found or "" for found in paths.values())
    return _tried(Programs(bwrap, env, prlimit, timeout, sizes="--size " in usage))


def _tried(programs: Programs) -> Found:
    with tempfile.TemporaryDirectory(prefix="roo-sandbox-") as folder:
        try:
            sandbox = Bubblewrap(SandboxPolicy(), Path(folder), programs)
        except (OSError, ConfigError) as error:
            return Found(None, f"no sandbox could be made: {error}", "See `roo doctor`.")
        try:
            command = sandbox.wrap(["/bin/sh", "-c", ":"], cwd=Path(folder), environment={})
            tried = _run(command.argv, command.environment)
        finally:
            sandbox.close()
    if tried.returncode == 0:
        return Found(programs)
    said = next(iter(tried.stderr.strip().splitlines()), f"exit status {tried.returncode}")
    return Found(
        None,
        f"bubblewrap may not make a sandbox here ({said})",
        "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, an AppArmor profile "
        "for bwrap, or for a container: --security-opt seccomp=unconfined.",
    )


def _run(
    argv: list[str] | tuple[str, ...], environment: dict[str, str] | None = None
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
