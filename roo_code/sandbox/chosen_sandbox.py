"""The sandbox as the settings say it."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue
from roo_code.sandbox.confinement import Confinement, confinement, sandbox_mode
from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import PROTECTED, Limits, Network, SandboxPolicy
from roo_code.sandbox.sandbox import NoSandbox, Sandbox
from roo_code.sandbox.toolchains import toolchains
from roo_code.sandbox.worktrees import repository_of, submodules_of

_MIB = 1 << 20
_NETWORKS: Mapping[str, Network] = {"off": "off", "hosts": "listed", "on": "on"}
_LIMITS = {
    "memoryMb": ("memory", _MIB),
    "processes": ("processes", 1),
    "cpuSeconds": ("cpu_seconds", 1),
    "fileMb": ("file_size", _MIB),
    "seconds": ("wall_seconds", 1),
}
"""Names in the settings, ours, and how many of ours one is; 0 is no limit."""


_OF_OUTSIDE = ("SSH_AUTH_SOCK", "XDG_*", "DISPLAY", "WAYLAND_DISPLAY", "TMP", "TEMP")
"""Variables that name what is not there inside."""


def open_chosen_sandbox(settings: Mapping[str, JsonValue], workspace: Path) -> Sandbox:
    """Close it after use. Where the sandbox is off or cannot be had, one that is none.

    Raises:
        ConfigError: A sandbox is required and there is none, or it cannot be as the settings say.
    """
    held = confinement(settings, workspace=workspace)
    if held.required and not held.confines:
        raise ConfigError(held.told)
    policy = chosen_policy(settings, workspace, os.environ)
    if not held.can_confine:
        return NoSandbox(replace(policy, withheld=()), warning=held.told)
    return open_sandbox(policy, workspace, backend=_backend(settings))


def confinement_of(
    workspace: Path, settings: Mapping[str, JsonValue], chosen: str = ""
) -> Confinement:
    """`confinement`, and whether there can be one for this workspace: not if it holds the home."""
    held = confinement(settings, chosen, workspace)
    if not held.can_confine:
        return held
    try:
        mode = sandbox_mode(settings, chosen)
        open_chosen_sandbox({**settings, "sandbox": mode}, workspace).close()
    except (ConfigError, OSError) as error:
        return Confinement(False, f"There is no sandbox for this workspace: {error}", held.required)
    return held


def chosen_policy(
    settings: Mapping[str, JsonValue], workspace: Path, environ: Mapping[str, str]
) -> SandboxPolicy:
    """What is handed to it of the environment has been chosen before, so it hands on the rest."""
    image = _image(settings)
    readable = [] if image else [*toolchains(workspace, environ, Path.home())]
    if (repository := repository_of(workspace)) is not None:
        readable.append(repository)
    return SandboxPolicy(
        readable=(*readable, *_paths(settings, "sandboxReadable", workspace)),
        writable=_paths(settings, "sandboxWritable", workspace),
        protected=tuple(_kept(workspace, settings)),
        network=_NETWORKS.get(str(settings.get("sandboxNetwork")), "off"),
        hosts=tuple(map(str, _list(settings, "sandboxHosts"))),
        limits=_limits(settings.get("sandboxLimits")),
        image=image,
        environment=("*",),
        withheld=_OF_OUTSIDE,
    )


def _kept(workspace: Path, settings: Mapping[str, JsonValue]) -> Iterator[str]:
    """What is read-only: all of `.git` where git itself runs outside, and a worktree's file."""
    whole = sandbox_mode(settings) == "unasked" or (workspace / ".git").is_file()
    yield from [".git"] if whole else []
    yield from (name for name in PROTECTED if not (whole and name.startswith(".git/")))
    yield from (f"{glob.escape(path)}/.git" for path in submodules_of(workspace))
    yield from _our_own(workspace)


def _our_own(workspace: Path) -> Iterator[str]:
    """The environment we run in, if it is that of the workspace: its code runs outside, as we."""
    root, prefix = workspace.resolve(), Path(sys.prefix).resolve()
    if prefix != root and prefix.is_relative_to(root):
        yield glob.escape(prefix.relative_to(root).as_posix())


def _image(settings: Mapping[str, JsonValue]) -> str:
    """None for a sandbox without images, whatever the settings say."""
    return str(settings.get("sandboxImage") or "") if _backend(settings) == "docker" else ""


def _backend(settings: Mapping[str, JsonValue]) -> str:
    return str(settings.get("sandboxBackend") or "auto")


def _limits(given: JsonValue) -> Limits:
    said = given if isinstance(given, Mapping) else {}
    chosen: dict[str, Any] = {}
    for name, (ours, times) in _LIMITS.items():
        value = said.get(name)
        if isinstance(value, int | float):
            whole = value * times if ours == "wall_seconds" else int(value * times)
            chosen[ours] = whole or None
    return Limits(**chosen)


def _paths(settings: Mapping[str, JsonValue], name: str, workspace: Path) -> tuple[Path, ...]:
    paths = tuple(workspace / Path(str(path)).expanduser() for path in _list(settings, name))
    for path in paths:
        if not path.exists():
            raise ConfigError(
                f"The setting {name} lists {path}, which does not exist.",
                hint="Make it, or take it off the list.",
            )
    return paths


def _list(settings: Mapping[str, JsonValue], name: str) -> list[JsonValue]:
    value = settings.get(name)
    return value if isinstance(value, list) else []
