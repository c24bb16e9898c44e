"""Whether commands are to run in a sandbox, and whether this machine lets them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue

SandboxMode: TypeAlias = Literal["off", "unasked", "auto", "required"]
MODES: tuple[SandboxMode, ...] = ("off", "unasked", "auto", "required")
"""The later the stricter: what a project may raise and never lower."""


class Confinement(NamedTuple):
    """What the policy need know: whether a command can do harm outside of the workspace."""

    confines: bool
    """Whether every command runs in a sandbox."""
    told: str
    """What is in force, or why nothing is, as a sentence."""
    required: bool = False
    """Whether commands are refused rather than run without a sandbox."""
    can_confine: bool = False
    """Whether a single command can be run in one."""
    reaches_out: bool = False
    """Whether what is confined has the network all the same, and can tell anyone what it reads."""


_LEAVE_HOOKS_OPEN = frozenset({"sandlock"})
"""What runs inside can change files of the workspace that run outside: for users to choose."""
UNCONFINED = Confinement(False, "Commands run without a sandbox: the setting `sandbox` is off.")


def sandbox_mode(settings: Mapping[str, JsonValue], chosen: str = "") -> SandboxMode:
    """What was chosen for the task, else what the settings say, else `off`."""
    said = chosen or settings.get("sandbox") or "off"
    if said not in MODES:
        raise ConfigError(f"There is no sandbox {said!r}.", hint=f"Say one of {', '.join(MODES)}.")
    return said


def confinement(
    settings: Mapping[str, JsonValue], chosen: str = "", workspace: Path | None = None
) -> Confinement:
    """Whether commands of a task with these settings are confined here. The first look is slow."""
    mode = sandbox_mode(settings, chosen)
    if mode == "off":
        return UNCONFINED
    from roo_code.sandbox.detection import find_sandbox  # noqa: PLC0415 - few tasks have one

    found = find_sandbox(str(settings.get("sandboxBackend") or "auto"), workspace)
    required = mode == "required"
    if found.open is None:
        done = "are refused" if required else "run with all your rights"
        told = f"Commands {done}, for there is no sandbox: {found.reason}. {found.fix}"
        return Confinement(False, told.rstrip(), required)
    all_of_them = mode != "unasked"
    if not all_of_them and found.name in _LEAVE_HOOKS_OPEN:
        told = f"Commands run with all your rights: {found.name} cannot keep them from git's hooks."
        return Confinement(False, told)
    which = "Commands" if all_of_them else "Commands that nobody was asked about"
    return Confinement(
        all_of_them,
        f"{which} run in a sandbox ({found.name}).",
        required,
        can_confine=True,
        reaches_out=settings.get("sandboxNetwork") == "on",
    )
