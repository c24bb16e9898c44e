"""Commands under sandlock, where namespaces are refused: the kernel's Landlock and a supervisor.

Weaker than bubblewrap: what is out of reach is refused rather than absent. It needs the package of
that name and Linux 6.7.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from roo_code.json_text import JsonValue
from roo_code.sandbox import sandlock_launcher
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.private_folder import make_private_folder
from roo_code.sandbox.sandbox import ConfinedCommand
from roo_code.sandbox.shown_folders import refuse_too_much, refuse_unseen
from roo_code.sandbox.system_files import shown_system_files

_READABLE = ("/usr", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
             "/proc", "/dev/random", "/dev/urandom")  # fmt: skip
_WRITABLE = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts", "/dev/ptmx")
_PORTS = "80,443"


class SandlockPrograms(NamedTuple):
    """What a command is started through, where it is found."""

    setpriv: str
    prlimit: str
    timeout: str


class Sandlock:
    """A command that a signal ended has the status 255, whichever it was."""

    name = "sandlock"
    confines = True

    def __init__(self, policy: SandboxPolicy, workspace: Path, programs: SandlockPrograms) -> None:
        self._policy = policy
        refuse_too_much(workspace.resolve(), policy, Path.home().resolve())
        self._shown = tuple(
            folder.resolve() for folder in (workspace, *policy.writable, *policy.readable)
        )
        self._private = make_private_folder()
        for name in ("home", "tmp"):
            (self._private / name).mkdir()
        self._before = tuple(self._limit(programs))
        self._rules = self._all_rules(workspace.resolve())
        self.warnings = tuple(self._lacks())

    def wrap(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
    ) -> ConfinedCommand:
        refuse_unseen(cwd, self._shown)
        rules = json.dumps(self._rules | {"cwd": str(cwd.resolve())})
        launcher = (sys.executable, "-I", str(Path(sandlock_launcher.__file__)), rules)
        own = {
            "HOME": str(self._private / "home"),
            "TMPDIR": str(self._private / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",  # it is refused, not absent, and git gives up at that
        }
        chosen = self._policy.chosen(dict(environment))
        return ConfinedCommand((*self._before, *launcher, *argv), chosen | own)

    def close(self) -> None:
        shutil.rmtree(self._private, ignore_errors=True)

    def _all_rules(self, workspace: Path) -> dict[str, JsonValue]:
        policy = self._policy
        readable = (*map(Path, _READABLE), *shown_system_files(), *policy.readable)
        writable = (*map(Path, _WRITABLE), workspace, self._private, *policy.writable)
        reached = {
            "off": [],
            "listed": [host if ":" in host else f"{host}:{_PORTS}" for host in policy.hosts],
            "on": ["*:*"],
        }[policy.network]
        return {
            "fs_readable": [str(path.resolve()) for path in readable if path.exists()],
            "fs_writable": [str(path.resolve()) for path in writable if path.exists()],
            "net_allow": [*reached],
            "net_allow_bind": ["*"] if policy.network == "on" else [],
            "max_memory": policy.limits.memory,
            "max_processes": policy.limits.processes,
        }

    def _limit(self, programs: SandlockPrograms) -> Iterator[str]:
        """Words before those of the launcher, outside of the sandbox."""
        limits = self._policy.limits
        if os.geteuid() == 0:  # nobody else has any to give up
            yield from (programs.setpriv, "--bounding-set", "-all", "--inh-caps", "-all")
        if limits.wall_seconds is not None:
            yield from (programs.timeout, "--foreground", "--signal=KILL")
            yield f"{limits.wall_seconds:f}"
        yield from (programs.prlimit, "--core=0")
        for name, value in {"cpu": limits.cpu_seconds, "fsize": limits.file_size}.items():
            if value is not None:
                yield f"--{name}={value}"

    def _lacks(self) -> Iterator[str]:
        yield (
            "The sandbox is sandlock: commands can make files that run with their owner's rights, "
            "and the size of temporary folders is not limited."
        )
        if self._policy.protected:
            protected = ", ".join(self._policy.protected)
            yield f"Not protected from commands, though in the workspace: {protected}."
