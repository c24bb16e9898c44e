"""Commands in a bubblewrap sandbox: an own view of files, processes and network, and limits."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from roo_code.sandbox.control_group import ControlGroup
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.private_folder import make_private_folder
from roo_code.sandbox.sandbox import ConfinedCommand
from roo_code.sandbox.shown_folders import refuse_unseen
from roo_code.sandbox.system_calls import filter_program
from roo_code.sandbox.visible_files import system_arguments, visible_files

if TYPE_CHECKING:  # few list hosts
    from roo_code.sandbox.listed_hosts import ListedHosts

# Bubblewrap outside of the sandbox must not end when the group is asked to, or the command would be
# killed before it could answer. It reads the filter from a descriptor, and joins the groups first.
_OUTSIDE = """trap '' TERM; filter=$1; shift
while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift
exec "$@" 9<"$filter"
"""
_FILTER = "9"

_COUNTS_BY_NAMESPACE = (5, 14)
"""The first Linux that counts the processes of a user for each user namespace alone."""


class Programs(NamedTuple):
    """What a bubblewrap sandbox is made with, where it is found."""

    bwrap: str
    env: str
    prlimit: str
    timeout: str
    sizes: bool
    """Whether this bubblewrap can limit folders in memory."""


class Bubblewrap:
    """Needs nothing but user namespaces, or root. It ends when the thread that started it does."""

    name = "bubblewrap"
    confines = True

    def __init__(self, policy: SandboxPolicy, workspace: Path, programs: Programs) -> None:
        self._policy = policy
        self._programs = programs
        self._private = make_private_folder()
        self._group: ControlGroup | None = None
        self._network: ListedHosts | None = None
        self._why_off = ""
        try:
            system = tuple(system_arguments(self._private))
            program = filter_program()
            self._filter = self._private / "filter" if program else Path(os.devnull)
            if program:
                self._filter.write_bytes(program)
            size = ("--size", str(policy.limits.temporary)) if programs.sizes else ()
            self._files = visible_files(
                workspace, policy, home=Path.home(), system=system, size=size
            )
            self._group = ControlGroup(policy.limits)
            if policy.network == "listed":
                self._open_network()
        except BaseException:
            self.close()
            raise
        self._isolation = tuple(self._isolate(filtered=program is not None))
        self._limiting = tuple(self._limit(self._group))
        self._lacking = tuple(self._lacks(self._group, filtered=program is not None))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What this machine does not give, and what the network has refused so far."""
        return (*self._lacking, *(self._network.refusals if self._network else ()))

    def wrap(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
    ) -> ConfinedCommand:
        refuse_unseen(cwd, self._files.folders)
        assert self._group is not None
        confined = (
            "/bin/sh", "-c", _OUTSIDE, "sandbox",
            str(self._filter), *map(str, self._group.joined_through), "--",
            *(self._network.entering if self._network else ()),
            self._programs.bwrap, *self._isolation, *self._files.arguments,
            "--chdir", str(cwd.resolve()), "--", *self._limiting, *argv,
        )  # fmt: skip
        own = {"HOME": str(self._files.home), "TMPDIR": "/tmp"}
        own |= self._network.environment if self._network else {}
        return ConfinedCommand(confined, self._policy.chosen(dict(environment)) | own)

    def close(self) -> None:
        if self._network is not None:
            self._network.close()
        if self._group is not None:
            self._group.close()
        shutil.rmtree(self._private, ignore_errors=True)

    def _open_network(self) -> None:
        from roo_code.sandbox.listed_hosts import ListedHosts  # noqa: PLC0415 - few list hosts
        from roo_code.sandbox.network_namespace import NoNamespace  # noqa: PLC0415

        if not self._policy.hosts:
            self._why_off = "sandboxHosts lists no hosts"
            return
        bwrap, beside = self._programs.bwrap, Path(self._programs.prlimit).parent
        nsenter = shutil.which("nsenter", path=str(beside))  # from the same package
        try:
            self._network = ListedHosts(self._policy.hosts, bwrap, nsenter)
        except NoNamespace as error:
            self._why_off = f"hosts cannot be let through one by one here ({error})"

    def _isolate(self, *, filtered: bool) -> Iterator[str]:
        yield from ("--die-with-parent", "--cap-drop", "ALL")
        yield from ("--unshare-user-try", "--unshare-cgroup-try")
        yield from ("--unshare-pid", "--unshare-ipc", "--unshare-uts")
        if self._policy.network != "on" and self._network is None:
            yield "--unshare-net"
        # A session of its own would lose the terminal, into which the filter lets nobody type.
        yield from ("--seccomp", _FILTER) if filtered else ("--new-session",)

    def _limit(self, group: ControlGroup) -> Iterator[str]:
        """Words before the command, inside of the sandbox."""
        limits, programs = self._policy.limits, self._programs
        if limits.wall_seconds is not None:
            yield from (programs.timeout, "--foreground", "--signal=KILL")
            yield f"{limits.wall_seconds:f}"
        yield from (programs.env, "--default-signal=TERM", programs.prlimit, "--core=0")
        # Not the address space, of which many programs reserve more than they ever use.
        data = None if "memory" in group.holds else limits.memory
        processes = limits.processes if _counts_processes(group) else None
        for name, value in {
            "data": data, "nproc": processes, "cpu": limits.cpu_seconds, "fsize": limits.file_size,
        }.items():  # fmt: skip
            if value is not None:
                yield f"--{name}={value}"

    def _lacks(self, group: ControlGroup, *, filtered: bool) -> Iterator[str]:
        limits = self._policy.limits
        if self._why_off:
            yield f"The network is off: {self._why_off}."
        if limits.memory is not None and "memory" not in group.holds:
            yield "The limit on memory holds for each process, not for all of them together."
        if limits.processes is not None and "pids" not in group.holds:
            if os.geteuid() == 0:
                yield "The number of processes is not limited: for root only a cgroup can do it."
            elif not _counts_processes(group):
                yield "The number of processes is not limited: this needs Linux 5.14 or a cgroup."
            else:
                yield "The limit on processes holds for each command, not for all of them together."
        if not filtered:
            yield f"System calls are not filtered on {platform.machine()} machines."
        if not self._programs.sizes:
            yield "Folders in memory are not limited: this needs bubblewrap 0.7 or newer."


def _counts_processes(group: ControlGroup) -> bool:
    if "pids" in group.holds or os.geteuid() == 0:
        return False
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= _COUNTS_BY_NAMESPACE
