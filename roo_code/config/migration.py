"""How settings of an older version become settings of this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

VERSION_KEY = "settingsVersion"
Step: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

STEPS: Sequence[Step] = ()
"""The first makes version 2 of version 1, and so on."""


def current_version(steps: Sequence[Step] = STEPS) -> int:
    return len(steps) + 1


def version_of(data: Mapping[str, Any]) -> int:
    """A file that does not say is of the first version, as a person writes it."""
    version = data.get(VERSION_KEY, 1)
    return version if isinstance(version, int) and version >= 1 else 1


def is_older(data: Mapping[str, Any], steps: Sequence[Step] = STEPS) -> bool:
    return version_of(data) < current_version(steps)


def is_newer(data: Mapping[str, Any], steps: Sequence[Step] = STEPS) -> bool:
    return version_of(data) > current_version(steps)


def migrated(data: Mapping[str, Any], steps: Sequence[Step] = STEPS) -> dict[str, Any]:
    result = dict(data)
    for step in steps[version_of(data) - 1 :]:
        result = step(result)
    return {**result, VERSION_KEY: current_version(steps)}
