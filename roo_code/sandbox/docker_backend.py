"""Commands in containers, for those who have Docker anyway or want the programs of an image.

Without an image, a container shows this system's own programs, as bubblewrap does.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue, to_json
from roo_code.sandbox import docker_launcher
from roo_code.sandbox.docker_client import Daemon
from roo_code.sandbox.docker_image import HOLDS_INIT, image_of
from roo_code.sandbox.docker_leftovers import own_label, remove_orphans
from roo_code.sandbox.policy import SandboxPolicy
from roo_code.sandbox.private_folder import make_private_folder
from roo_code.sandbox.sandbox import ConfinedCommand
from roo_code.sandbox.shown_folders import (
    MERGED,
    SYSTEM,
    Shown,
    home_inside,
    refuse_too_much,
    refuse_unseen,
    shown_paths,
)
from roo_code.sandbox.system_calls import filter_profile
from roo_code.sandbox.system_files import copy_system_files
from roo_code.sandbox.toolchains import TOOLCHAIN_VARIABLES

_WRAPPERS = 2
"""Processes around the command that count as well."""
_MADE_BY_DOCKER = ("hostname", "hosts", "resolv.conf")
_OF_THIS_SYSTEM = frozenset({"PATH", "SHELL", "LD_LIBRARY_PATH", *TOOLCHAIN_VARIABLES})
"""Variables that name what is not there in a user's image, which has its own."""


class Docker:
    """Its daemon is root: whoever may speak to it is too, but not who is in the container."""

    name = "docker"
    confines = True

    def __init__(self, policy: SandboxPolicy, workspace: Path, daemon: Daemon) -> None:
        if policy.network == "listed":
            raise ConfigError(
                "Docker cannot let commands reach listed hosts only.",
                hint="Set sandboxNetwork to off or on, or sandboxBackend to bubblewrap.",
            )
        workspace, home = workspace.resolve(), Path.home().resolve()
        refuse_too_much(workspace, policy, home)
        self._policy = policy
        self._daemon = daemon
        self._home = home_inside(home)
        self._shown = tuple(
            folder.resolve() for folder in (workspace, *policy.writable, *policy.readable)
        )
        self._private = make_private_folder()
        try:
            remove_orphans(daemon.client)
            self._image = image_of(policy.image, daemon.client)
            self._options = (
                *self._isolate(), *self._limit(), *self._in_memory(), *self._mounts(workspace)
            )  # fmt: skip
        except BaseException:
            self.close()
            raise
        self.warnings = tuple(self._lacks())

    def wrap(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
    ) -> ConfinedCommand:
        refuse_unseen(cwd, self._shown)
        plan: dict[str, JsonValue] = {
            "client": [*self._daemon.client.words],
            "options": [*self._options, "--workdir", str(cwd.resolve())],
            "image": self._image,
            "seconds": self._policy.limits.wall_seconds,
        }
        launcher = (
            sys.executable,
            "-I",
            "-S",
            str(Path(docker_launcher.__file__)),
            json.dumps(plan),
        )
        chosen = self._policy.chosen(dict(environment))
        if self._policy.image:
            chosen = {name: chosen[name] for name in chosen if name not in _OF_THIS_SYSTEM}
        own = {"HOME": str(self._home), "TMPDIR": "/tmp"}
        return ConfinedCommand((*launcher, *argv), chosen | own)

    def close(self) -> None:
        shutil.rmtree(self._private, ignore_errors=True)

    def _isolate(self) -> Iterator[str]:
        yield from ("--rm", "--init", "--interactive", "--pull", "never", "--log-driver", "none")
        yield from ("--label", own_label(), "--entrypoint", "")
        yield from ("--user", f"{os.geteuid()}:{os.getegid()}", "--cap-drop", "ALL")
        yield from ("--security-opt", "no-new-privileges", "--security-opt", "label=disable")
        if (profile := filter_profile()) is not None:
            file = self._private / "filter.json"
            file.write_bytes(to_json(profile))
            yield from ("--security-opt", f"seccomp={file}")
        yield from ("--network", "host" if self._policy.network == "on" else "none")
        yield "--read-only"

    def _limit(self) -> Iterator[str]:
        limits, daemon = self._policy.limits, self._daemon
        if limits.memory is not None and daemon.memory:
            yield f"--memory={limits.memory}"
            if daemon.swap:
                yield f"--memory-swap={limits.memory}"
        if limits.processes is not None and daemon.processes:
            yield f"--pids-limit={limits.processes + _WRAPPERS}"
        for name, value in {
            "core": 0, "cpu": limits.cpu_seconds, "fsize": limits.file_size,
        }.items():  # fmt: skip
            if value is not None:
                yield f"--ulimit={name}={value}"

    def _in_memory(self) -> Iterator[str]:
        size = self._policy.limits.temporary
        options = f"rw,exec,nosuid,nodev,size={size}"
        owner = f"uid={os.geteuid()},gid={os.getegid()}"
        yield f"--shm-size={size}"
        yield f"--tmpfs=/tmp:{options},mode=1777"
        yield f"--tmpfs={self._home}:{options},mode=0700,{owner}"

    def _mounts(self, workspace: Path) -> Iterator[str]:
        if not self._policy.image:
            yield from self._system()
        for shown in shown_paths(workspace, self._policy):
            if shown.manner == "empty":
                shown.path.mkdir()  # else root would
            if shown.manner != "read if there" or shown.path.exists():
                yield _mount(shown)

    def _system(self) -> Iterator[str]:
        folders = [Path("/", name) for name in MERGED if name != HOLDS_INIT]
        for folder in (*map(Path, SYSTEM), *(path for path in folders if not path.is_symlink())):
            if folder.is_dir():
                yield _mount(Shown(folder, "read"))
        etc = self._private / "etc"
        mounted = copy_system_files(etc)
        for name in _MADE_BY_DOCKER:
            (etc / name).touch()  # it mounts its own there, and can make nothing in what is given
        yield _mount(Shown(etc, "read"), at=Path("/etc"))
        for name in mounted:
            yield _mount(Shown(Path("/etc", name), "read"))

    def _lacks(self) -> Iterator[str]:
        limits, daemon = self._policy.limits, self._daemon
        lacking = [
            name
            for name, wanted, held in (
                ("memory", limits.memory, daemon.memory),
                ("processes", limits.processes, daemon.processes),
            )
            if wanted is not None and not held
        ]
        if lacking:
            yield f"Not limited, for Docker cannot here: {', '.join(lacking)}."
        yield "The limits on memory and processes hold for each command, not for all together."
        if filter_profile() is None:
            yield f"System calls are filtered as Docker does it on {platform.machine()} machines."


def _mount(shown: Shown, *, at: Path | None = None) -> str:
    fields = ["type=bind", f"source={shown.path}", f"target={at or shown.path}"]
    if shown.manner != "write":
        fields.append("readonly")
    return "--mount=" + ",".join(map(_quoted, fields))


def _quoted(field: str) -> str:
    """As in a table: paths may hold commas."""
    return '"' + field.replace('"', '""') + '"' if {",", '"', "\n"} & {*field} else field
