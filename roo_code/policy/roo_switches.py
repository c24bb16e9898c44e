"""What a person's settings say of approvals: our level, or Roo's own switches."""

from __future__ import annotations

from typing import Any

from roo_code.config.resolved import Settings
from roo_code.events import ApprovalLevel, ApprovalSettings, Grant
from roo_code.policy.grants import LEVEL_GRANTS, ROO_SWITCHES

LEVEL_ALIASES: dict[str, ApprovalLevel] = {"auto-edit": "edits"}
_ROO_COMMANDS = ("git log", "git diff", "git show")
"""What Roo allows where nobody has written a list."""


def approval_of(settings: Settings) -> ApprovalSettings:
    """The setting `approve` decides, else Roo's switches, else our default.

    What a project has turned off stays off, whichever of them decides.
    """
    level, grants = _granted(settings)
    max_requests = settings.get("allowedMaxRequests")
    return ApprovalSettings(
        level=level,
        grants=grants if level == "switches" else (),
        allowed_commands=_allowed_commands(settings, level),
        denied_commands=tuple(settings.get("deniedCommands")),
        max_requests=None if max_requests is None else int(max_requests),
        max_cost=settings.get("allowedMaxCost"),
        answer_after=_answer_after(settings, level),
    )


def _granted(settings: Settings) -> tuple[ApprovalLevel, tuple[Grant, ...]]:
    if settings.get("requireApproval") or _off_by_project(settings, "autoApprovalEnabled"):
        return "ask", ()
    chosen: str | None = settings.chosen("approve")
    level: ApprovalLevel = LEVEL_ALIASES.get(chosen or "", chosen or "auto")  # type: ignore[arg-type]
    own_level = chosen is not None and settings.origin("approve").layer != "project"
    if level == "ask":
        return "ask", ()
    grants = set(LEVEL_GRANTS[level])
    if own_level:
        off = {name for name in ROO_SWITCHES if _off_by_project(settings, name)}
    elif (switched := _switched(settings)) is not None:
        # A project's `approve` takes away from the switches, and adds nothing.
        kept = switched if chosen is None else grants & switched
        return ("switches", _ordered(kept)) if kept else ("ask", ())
    else:
        off = {name for name in ROO_SWITCHES if settings.chosen(name) is False}
    lost = {grant for name in off for grant in ROO_SWITCHES[name]}
    if not grants & lost:
        return level, ()
    kept = grants - lost
    if level == "read-only":  # nothing is asked there, and so nothing may be taken to be asked
        return level, ()
    return ("switches", _ordered(kept)) if kept else ("ask", ())


def _switched(settings: Settings) -> set[Grant] | None:
    """What Roo's switches allow; None if the user does not go by them."""
    enabled = settings.chosen("autoApprovalEnabled")
    if enabled is None:
        return None
    on = (grants for name, grants in ROO_SWITCHES.items() if enabled and settings.get(name))
    return {grant for grants in on for grant in grants}


def _ordered(grants: set[Grant]) -> tuple[Grant, ...]:
    return tuple(sorted(grants))


def _off_by_project(settings: Settings, name: str) -> bool:
    return settings.chosen(name) is False and settings.origin(name).layer == "project"


def _allowed_commands(settings: Settings, level: ApprovalLevel) -> tuple[str, ...]:
    listed: list[str] = settings.get("allowedCommands")
    if level == "switches" and settings.chosen("allowedCommands") is None:
        return _ROO_COMMANDS
    return tuple(listed)


def _answer_after(settings: Settings, level: ApprovalLevel) -> float | None:
    milliseconds: Any = settings.get("followupAutoApproveTimeoutMs")
    wanted = settings.get("autoApprovalEnabled") and settings.get("alwaysAllowFollowupQuestions")
    return milliseconds / 1000 if wanted and milliseconds and level != "ask" else None
