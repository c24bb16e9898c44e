"""What a mode is: who the model is to be, and what it may do."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

ModeSource: TypeAlias = Literal["builtin", "global", "project"]
GROUPS = ("read", "edit", "command", "browser", "mcp", "modes", "advanced")
"""The groups of tools; those of `modes` may be used in every mode."""


class ModeGroup(Struct, frozen=True):
    """A group of tools that a mode may use, perhaps on some files only."""

    name: str
    file_regex: str = ""
    """Paths, relative to the workspace, that its editing tools may change; empty: all of them."""
    description: str = ""
    """What those files are, in words."""


class Mode(Struct, frozen=True, kw_only=True):
    slug: str
    name: str
    role: str
    """The first words of the system prompt (Roo's `roleDefinition`)."""
    groups: tuple[ModeGroup, ...]
    when_to_use: str = ""
    description: str = ""
    instructions: str = ""
    """Added to the user's own at the end of the prompt (Roo's `customInstructions`)."""
    system_prompt: str = ""
    """In place of the role, if a file of the mode's says so."""
    source: ModeSource = "builtin"
    file: str = ""
    """Where it is defined."""

    def group(self, name: str) -> ModeGroup | None:
        return next((group for group in self.groups if group.name == name), None)
