"""The system prompt of a task: who the model is to be, how to work, what the user wants of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.config.mode import Mode
from roo_code.config.problem import Problem
from roo_code.config.skills import SkillPlaces, list_skills
from roo_code.config.slash_commands import list_commands
from roo_code.context import prompt_sections as sections
from roo_code.context.rule_files import RuleReader, Signature, signature_of, user_home
from roo_code.context.rules import RulePlaces, rule_folders, rule_texts
from roo_code.json_text import JsonValue
from roo_code.workspace.shell import shell
from roo_code.workspace.workspace import Workspace

_SETTINGS = (
    *("language", "customInstructions", "useAgentRules", "enableSubfolderRules"),
    "execaShellPath",
)
_SEARCH_AGAIN_SECONDS = 10.0
"""How long the list of folders with rules of their own is kept: a project may have many folders."""


class _Prompt(NamedTuple):
    given: tuple[Any, ...]
    """All that it was made from besides files."""
    watched: Mapping[Path, Signature]
    text: str
    problems: tuple[Problem, ...]

    def holds(self, given: tuple[Any, ...]) -> bool:
        return given == self.given and all(
            signature_of(path) == signature for path, signature in self.watched.items()
        )


class Instructions:
    """Makes the prompt of a mode: the same, byte for byte, until a file or a setting changes."""

    def __init__(
        self,
        workspace: Workspace,
        home: Path,
        settings: Mapping[str, JsonValue],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = workspace
        self._home = home
        self._settings = settings
        self._clock = clock
        self._kept: dict[str, _Prompt] = {}
        self._subfolders: tuple[float, list[Path]] | None = None

    def system_prompt(self, mode: Mode, modes: Sequence[Mode]) -> str:
        return self._prompt(mode, modes).text

    def problems(self, mode: Mode, modes: Sequence[Mode]) -> tuple[Problem, ...]:
        """Files that should be part of the prompt and cannot be."""
        return self._prompt(mode, modes).problems

    def _prompt(self, mode: Mode, modes: Sequence[Mode]) -> _Prompt:
        subfolders = self._folders_with_rules()
        given = (mode, tuple(modes), subfolders, *map(self._settings.get, _SETTINGS))
        kept = self._kept.get(mode.slug)
        if kept is None or not kept.holds(given):
            kept = self._kept[mode.slug] = self._assemble(mode, modes, subfolders, given)
        return kept

    def _assemble(
        self, mode: Mode, modes: Sequence[Mode], subfolders: Sequence[Path], given: tuple[Any, ...]
    ) -> _Prompt:
        reader = RuleReader(self._workspace, self._home)
        ours = [mode.system_prompt] if mode.system_prompt else self._ours(mode, modes, reader)
        places = RulePlaces(
            self._workspace,
            self._home,
            subfolders,
            agent_rules=self._settings.get("useAgentRules") is not False,
        )
        wanted = [
            self._language(),
            _titled("In every mode", self._settings.get("customInstructions")),
            _titled(f"In mode {mode.slug}", mode.instructions),
            *rule_texts(places, mode.slug, reader),
        ]
        parts = [*(part.strip() for part in ours), sections.instructions_section(wanted)]
        text = "\n\n".join(part for part in parts if part)
        return _Prompt(given, reader.watched, text, tuple(reader.problems))

    def _ours(self, mode: Mode, modes: Sequence[Mode], reader: RuleReader) -> list[str]:
        places = SkillPlaces(self._workspace.root, self._home, user_home())
        _watch_skills(places, mode.slug, reader)
        _watch_commands(self._workspace.root, self._home, reader)
        skills, unusable = list_skills(places, mode.slug)
        commands, unreadable = list_commands(self._workspace.root, self._home)
        reader.problems += [*unusable, *unreadable]
        return [
            mode.role,
            sections.TOOLS,
            sections.modes_section(mode, modes),
            sections.skills_section(skills),
            sections.commands_section(commands),
            sections.RULES,
            sections.system_section(shell(self._settings), str(self._workspace.root)),
            sections.OBJECTIVE,
        ]

    def _language(self) -> str:
        language = self._settings.get("language")
        return f"Speak and think in the language {language!r}." if language else ""

    def _folders_with_rules(self) -> tuple[Path, ...]:
        if self._settings.get("enableSubfolderRules") is not True:
            return ()
        now = self._clock()
        if self._subfolders is None or now - self._subfolders[0] >= _SEARCH_AGAIN_SECONDS:
            self._subfolders = (now, rule_folders(self._workspace.root))
        return tuple(self._subfolders[1])


def _titled(title: str, text: JsonValue) -> str:
    said = text.strip() if isinstance(text, str) else ""
    return f"# {title}\n\n{said}" if said else ""


def _watch_skills(places: SkillPlaces, mode: str, reader: RuleReader) -> None:
    for _, _, folder in places.folders(mode):
        if reader.watch(folder) is not None:
            for entry in _entries(folder):
                reader.watch(entry / "SKILL.md")


def _watch_commands(workspace: Path, home: Path, reader: RuleReader) -> None:
    for folder in (home / "commands", workspace / ".roo" / "commands"):
        if reader.watch(folder) is not None:
            for entry in _entries(folder):
                reader.watch(entry)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # it is a file, or may not be read
        return []
