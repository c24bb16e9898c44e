"""Skills: folders with instructions for one kind of work, read when a task comes to need them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from roo_code.config.documents import read_text
from roo_code.config.front_matter import split_front_matter
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable

SkillSource: TypeAlias = Literal["project", "global"]

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024


class Skill(NamedTuple):
    name: str
    description: str
    source: SkillSource
    path: Path
    """Its SKILL.md."""


class SkillPlaces(NamedTuple):
    """Where to look."""

    workspace: Path
    home: Path
    """Our own folder, `~/.roo`."""
    user: Path
    """The user's, which has `.agents` for all agents."""

    def folders(self, mode: str) -> Iterator[tuple[SkillSource, bool, Path]]:
        """Of each, whether it is for this mode only; what comes later counts before the others."""
        bases: tuple[tuple[SkillSource, Path], ...] = (
            ("global", self.user / ".agents"),
            ("project", self.workspace / ".agents"),
            ("global", self.home),
            ("project", self.workspace / ".roo"),
        )
        for source, base in bases:
            yield source, False, base / "skills"
            if _NAME.fullmatch(mode):
                yield source, True, base / f"skills-{mode}"


def list_skills(places: SkillPlaces, mode: str = "") -> tuple[list[Skill], list[Problem]]:
    """Those for a mode by name, and those that are left out.

    Of two with one name the project's counts; of two of one source, the one for this mode only.
    """
    found: dict[str, tuple[tuple[bool, bool], Skill]] = {}
    problems: list[Problem] = []
    for source, is_for_mode, folder in places.folders(mode):
        for path in _files(folder):
            try:
                skill, modes = _read(path, source)
            except Unreadable as error:
                problems.append(Problem(str(error), str(path), error.line))
                continue
            if skill is None or (modes and mode not in modes):
                continue
            rank = (source == "project", is_for_mode or bool(modes))
            if skill.name not in found or found[skill.name][0] <= rank:
                found[skill.name] = (rank, skill)
    return sorted(skill for _, skill in found.values()), problems


def skill_files(workspace: Path) -> Iterator[Path]:
    """Every SKILL.md of a project, for whichever mode, be it usable or not."""
    for base in (workspace / ".agents", workspace / ".roo"):
        try:
            names = sorted(entry.name for entry in base.iterdir())
        except OSError:
            continue
        for name in names:
            if name == "skills" or name.startswith("skills-"):
                yield from filter(os.path.isfile, _files(base / name))


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # most often there is none
        return
    for entry in entries:
        if os.path.isdir(entry):  # noqa: PTH112 - no error where it may not be looked at
            yield entry / "SKILL.md"


def _read(path: Path, source: SkillSource) -> tuple[Skill | None, tuple[str, ...]]:
    """The skill and the modes it is for, none meaning all; no skill if there is no such file."""
    text = read_text(path)
    if text is None:
        return None, ()
    head, _ = split_front_matter(text)
    name, description = _name(head, path.parent.name), _description(head)
    return Skill(name, description, source, path), _modes(head)


def _name(head: dict[str, Any], folder: str) -> str:
    name = head.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Unreadable("a skill needs a name at the top of its file, between lines of dashes")
    name = name.strip()
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise Unreadable(
            f"the name {name[:80]!r} must be of small letters, digits and single hyphens, at most "
            f"{_LONGEST_NAME} characters"
        )
    if name != folder:
        raise Unreadable(f"the name {name!r} must be that of the folder, {folder!r}")
    return name


def _description(head: dict[str, Any]) -> str:
    description = head.get("description")
    description = description.strip() if isinstance(description, str) else ""
    if not 1 <= len(description) <= _LONGEST_DESCRIPTION:
        raise Unreadable(f"a skill needs a description of 1 to {_LONGEST_DESCRIPTION} characters")
    return description


def _modes(head: dict[str, Any]) -> tuple[str, ...]:
    named: Any = head.get("modeSlugs", head.get("mode"))
    listed = cast("list[Any]", named) if isinstance(named, list) else [named]
    return tuple(mode.strip() for mode in listed if isinstance(mode, str) and mode.strip())
