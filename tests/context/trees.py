"""A user's home, a project, and trees of files in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roo_code.config.mode import Mode, ModeGroup
from roo_code.context.instructions import Instructions
from roo_code.json_text import JsonValue
from roo_code.workspace.workspace import Workspace

CODE = Mode(
    slug="code",
    name="Code",
    role="You are Roo, an engineer.",
    groups=tuple(map(ModeGroup, ("read", "edit", "command", "browser", "mcp"))),
)
ARCHITECT = Mode(
    slug="architect",
    name="Architect",
    role="You are Roo, a planner.",
    groups=(ModeGroup("read"), ModeGroup("edit", r"\.md$", "Markdown files only")),
    when_to_use="To plan.",
    instructions="Plan well.",
)


class Places:
    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.home = self.user / ".roo"
        self.project = folder / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Below the project, or below the user's home folder where a path begins with `~`."""
        for name, content in files.items():
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def path(self, name: str) -> Path:
        return self.user / name[2:] if name.startswith("~/") else self.project / name

    def instructions(self, **settings: JsonValue) -> Instructions:
        return Instructions(Workspace(self.project), self.home, settings)

    def prompt(self, mode: Mode = CODE, **settings: JsonValue) -> str:
        return self.instructions(**settings).system_prompt(mode, [CODE, ARCHITECT])

    def problems(self, **settings: JsonValue) -> list[str]:
        found = self.instructions(**settings).problems(CODE, [CODE])
        return [str(problem) for problem in found]


def in_order(text: str, *parts: str) -> bool:
    """Whether all of the parts are there, each after the one before it."""
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True
