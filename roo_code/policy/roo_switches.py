"""What a person's settings say of approvals: our level, or Roo's own switches."""

from __future__ import annotations

from typing import Any, cast

from roo_code.approval_values import ApprovalLevel, ApprovalSettings, Grant
from roo_code.config.resolved import Settings
from roo_code.policy.grants import LEVEL_GRANTS, ROO_SWITCHES

_ALIASES = {"auto-edit": "edits"}
ROO_COMMANDS = ("git log", "git diff", "git show")
"""What Roo allows where nobody has written a list."""


def approval_of(settings: Settings) -> ApprovalSettings:
    """The setting `approve` decides, else Roo's switches, else our default.

    What a project has turned off stays off, whichever of them decides.
    """
    level, grants = _granted(settings)
    return ApprovalSettings(
        level=level,
        grants=grants if level == "switches" else (),
        allowed_commands=_allowed_commands(settings, level),
        denied_commands=tuple(settings.get("deniedCommands")),
        max_requests=int(settings.get("allowedMaxRequests") or 0) or None,
        max_cost=settings.get("allowedMaxCost") or None,
        answer_after=_answer_after(settings, level),
    )


def _granted(settings: Settings) -> tuple[ApprovalLevel, tuple[Grant, ...]]:
    if settings.get("requireApproval") or _off_by_project(settings, "autoApprovalEnabled"):
        return "ask", ()
    chosen: str | None = settings.chosen("approve")
    is_own = chosen is not None and settings.origin("approve").layer != "project"
    level = level_named(chosen or "auto")
    grants = set(LEVEL_GRANTS[level])
    if not is_own and (switched := _switched(settings)) is not None:
        # A project's `approve` takes away from the switches, and adds nothing.
        level, grants = "switches", switched if chosen is None else grants & switched
    off = (n for n in ROO_SWITCHES if (_off_by_project if is_own else _is_off)(settings, n))
    kept = grants.difference(*(ROO_SWITCHES[name] for name in off))
    if level != "switches" and kept == grants:
        return level, ()
    by_switches = chosen is None and settings.get("autoApprovalEnabled")
    return ("switches", tuple(sorted(kept))) if kept or by_switches else ("ask", ())


def level_named(name: str) -> ApprovalLevel:
    """The level of a name that `--approve` and the setting `approve` take."""
    return cast(ApprovalLevel, _ALIASES.get(name, name))


def _switched(settings: Settings) -> set[Grant] | None:
    """What Roo's switches allow; None if the user does not go by them."""
    enabled = settings.chosen("autoApprovalEnabled")
    if enabled is None:
        return None
    on = (grants for name, grants in ROO_SWITCHES.items() if enabled and settings.get(name))
    return {grant for grants in on for grant in grants}


def _is_off(settings: Settings, name: str) -> bool:
    """On purpose, and not as a default."""
    return settings.chosen(name) is False


def _off_by_project(settings: Settings, name: str) -> bool:
    return _is_off(settings, name) and settings.origin(name).layer == "project"


def _allowed_commands(settings: Settings, level: ApprovalLevel) -> tuple[str, ...]:
    listed: list[str] = settings.get("allowedCommands")
    if level == "switches" and settings.chosen("allowedCommands") is None:
        return ROO_COMMANDS
    return tuple(listed)


def _answer_after(settings: Settings, level: ApprovalLevel) -> float | None:
    milliseconds: Any = settings.get("followupAutoApproveTimeoutMs")
    wanted = settings.get("autoApprovalEnabled") and settings.get("alwaysAllowFollowupQuestions")
    return milliseconds / 1000 if wanted and milliseconds and level != "ask" else None
