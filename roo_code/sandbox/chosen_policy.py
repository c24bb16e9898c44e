"""The policy of a sandbox as the settings say it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue
from roo_code.sandbox.policy import Limits, Network, SandboxPolicy
from roo_code.sandbox.toolchains import toolchains

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


def chosen_policy(
    settings: Mapping[str, JsonValue], workspace: Path, environ: Mapping[str, str]
) -> SandboxPolicy:
    """What is handed to it of the environment has been chosen before, so it hands on all of it."""
    readable = _paths(settings, "sandboxReadable", workspace)
    return SandboxPolicy(
        readable=(*toolchains(workspace, environ, Path.home()), *readable),
        writable=_paths(settings, "sandboxWritable", workspace),
        network=_NETWORKS.get(str(settings.get("sandboxNetwork")), "off"),
        hosts=tuple(map(str, _list(settings, "sandboxHosts"))),
        limits=_limits(settings.get("sandboxLimits")),
        environment=("*",),
    )


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
