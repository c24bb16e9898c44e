"""Kinds of calls that may run unasked: which a call needs, which a level or Roo's switches give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roo_code.approval_values import ApprovalLevel, ApprovalSettings, Grant
from roo_code.policy.approval import CallFacts

ROO_SWITCHES: Mapping[str, tuple[Grant, ...]] = {
    "alwaysAllowReadOnly": ("read",),
    "alwaysAllowReadOnlyOutsideWorkspace": ("read_outside",),
    "alwaysAllowWrite": ("write", "image"),
    "alwaysAllowWriteProtected": ("write_protected",),
    "alwaysAllowMcp": ("mcp",),
    "alwaysAllowModeSwitch": ("modes",),
    "alwaysAllowSubtasks": ("subtasks",),
    "alwaysAllowExecute": ("execute",),
}
"""Roo's own settings; what they allow only counts while `autoApprovalEnabled` is on."""

_EDITS: tuple[Grant, ...] = ("read", "write", "mcp")
_AUTO: tuple[Grant, ...] = (*_EDITS, "modes", "subtasks", "execute")
_EVERYTHING: tuple[Grant, ...] = (*_AUTO, "write_protected", "image")
LEVEL_GRANTS: Mapping[ApprovalLevel, tuple[Grant, ...]] = {
    "ask": (),
    "read-only": ("read", "modes", "subtasks"),
    "read": ("read",),
    "edits": _EDITS,
    "auto": _AUTO,
    "full-auto-in-sandbox": _AUTO,
    "all": _EVERYTHING,
}


def grants_of(settings: ApprovalSettings) -> tuple[Grant, ...]:
    """What may run unasked, besides what the lists of commands say."""
    return LEVEL_GRANTS.get(settings.level, settings.grants)


def readable_folders(settings: ApprovalSettings) -> tuple[Path, ...]:
    """Where tools may read besides the workspace, because the user's own settings say so."""
    return (Path("/"),) if "read_outside" in grants_of(settings) else ()


def needed_grant(facts: CallFacts) -> Grant | None:
    """The grant that a call needs to run unasked; None where no level but `all` has one."""
    if facts.server:
        return "mcp"
    match facts.group:
        case "read":
            return "read" if facts.read_only else None
        case "advanced":
            return "read" if facts.read_only else "image" if facts.paths else None
        case "edit":
            return "write" if facts.paths else None
        case "modes":
            return "subtasks" if facts.name == "new_task" else "modes"
        case "command":
            return "execute"
        case "mcp":
            return "mcp"
        case _:
            return None


def switch_of(grant: Grant) -> str:
    """Roo's setting that gives the grant."""
    return next(name for name, grants in ROO_SWITCHES.items() if grant in grants)
