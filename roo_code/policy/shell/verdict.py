"""Whether a shell line may run: every command must be allowed, one denied denies all."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

Decision: TypeAlias = Literal["allow", "ask", "deny"]


class ShellRules(Struct, frozen=True):
    """A person's lists, and perhaps a profile under them."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    profile: Literal["", "developer"] = ""
    runs_project: bool = True
    """Whether the profile covers what runs the project's own code, and so whatever stands there."""


class JudgedCommand(Struct, frozen=True, omit_defaults=True):
    """One command of a line, and the rule that decided on it."""

    command: str
    decision: Decision
    rule: str = ""
    reason: str = ""
    via: tuple[str, ...] = ()


class ShellVerdict(Struct, frozen=True):
    decision: Decision
    reason: str
    commands: tuple[JudgedCommand, ...] = ()
    writes: tuple[str, ...] = ()
    runs_project: bool = False
    """Whether the profile lets it run code of the project that no entry of a list names."""
