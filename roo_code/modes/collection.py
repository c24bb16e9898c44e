"""The modes there are: built in, the user's and the project's, as their files stand now."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from roo_code.config.documents import Signature, signature_of
from roo_code.config.json_shapes import as_object
from roo_code.config.layers import LayeredSettings
from roo_code.config.mode import Mode, ModeSource
from roo_code.config.paths import roo_home, settings_folder
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable
from roo_code.json_text import JsonValue
from roo_code.modes.builtin import BUILTIN_MODES, DEFAULT_MODE

if TYPE_CHECKING:  # loaded with the first file of modes
    from roo_code.config.mode_files import ReadModes

_HARMLESS = next(mode for mode in BUILTIN_MODES if mode.slug == "ask")


class _Place(NamedTuple):
    source: ModeSource
    path: Path
    is_folder: bool = False

    def files(self) -> list[Path]:
        """Those that may define modes; a file is one whether it is there or not."""
        return _mode_files(self.path / "modes") if self.is_folder else [self.path]


class Modes:
    """Read again when a file has changed; of two with one slug the later source's counts."""

    def __init__(
        self,
        workspace: Path,
        home: Path | None = None,
        settings: Mapping[str, JsonValue] | None = None,
    ) -> None:
        home = home or roo_home()
        self.workspace = workspace
        self._prompts = as_object((settings or {}).get("customModePrompts"))
        self._imported = _from_settings((settings or {}).get("customModes"))
        self._places = (
            *(_Place("global", folder, is_folder=True) for folder in _config_folders(home)),
            _Place("global", home / "custom_modes.yaml"),
            _Place("global", settings_folder(home) / "custom_modes.yaml"),
            _Place("project", workspace / ".roo", is_folder=True),
            _Place("project", workspace / ".roomodes"),
        )
        self._seen: dict[Path, Signature | str | None] | None = None
        self._prompt_files: tuple[Path, ...] = ()
        self._modes: dict[str, Mode] = {}
        self._problems: list[Problem] = []

    @classmethod
    def of(cls, workspace: Path, home: Path | None = None) -> Modes:
        """As a task of the workspace has them: with what the settings, too, say of modes."""
        return cls(workspace, home, LayeredSettings(workspace, home=home).resolve().values)

    @property
    def all(self) -> Sequence[Mode]:
        self._refresh()
        return tuple(self._modes.values())

    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with the files; modes that are broken are not there."""
        self._refresh()
        return tuple(self._problems)

    def get(self, slug: str) -> Mode | None:
        self._refresh()
        return self._modes.get(slug)

    def in_force(self, slug: str) -> Mode:
        """The mode a task of this slug is in. Of one that is gone nobody knows what it allowed."""
        return self.get(slug or DEFAULT_MODE) or _HARMLESS

    def _refresh(self) -> None:
        now = self._look()
        if now == self._seen:
            return
        modes = {mode.slug: self._prompted(mode) for mode in BUILTIN_MODES}
        modes |= {mode.slug: mode for mode in self._imported}
        self._problems = []
        prompts: list[Path] = []
        for place in self._places:
            if not any(now[path] for path in place.files() if path in now):
                continue
            read = _read(place, modes)
            modes |= {mode.slug: mode for mode in read.modes}
            self._problems += read.problems
            prompts += read.prompts
        self._modes, self._prompt_files = modes, tuple(prompts)
        # A file that changed while it was read is read again at the next look.
        self._seen = now | {path: _signature(path) for path in prompts}

    def _look(self) -> dict[Path, Signature | str | None]:
        files = [path for place in self._places for path in place.files()]
        return {path: _signature(path) for path in (*files, *self._prompt_files)}

    def _prompted(self, mode: Mode) -> Mode:
        """With what the settings say in place of its own words."""
        if not (given := as_object(self._prompts.get(mode.slug))):
            return mode
        from roo_code.config.mode_fields import said  # noqa: PLC0415 - few settings say so

        return replace(
            mode,
            role=said(given, "roleDefinition") or mode.role,
            when_to_use=said(given, "whenToUse") or mode.when_to_use,
            description=said(given, "description") or mode.description,
            instructions=said(given, "customInstructions") or mode.instructions,
        )


def _from_settings(given: JsonValue) -> list[Mode]:
    """Those that came with settings of Roo's; what is wrong there was told with the settings."""
    fields = given if isinstance(given, list) else []
    if not fields:
        return []
    from roo_code.config.mode_files import as_mode, mode_faults  # noqa: PLC0415 - few have any

    return [
        as_mode(mode, "global")
        for mode in map(as_object, fields)
        if not any(fault.spoils for fault in mode_faults(mode))
    ]


def _config_folders(home: Path) -> tuple[Path, ...]:
    """`~/.roo`, and before it `~/.roo-code`, where other descriptions put the user's modes."""
    is_usual = home == Path.home() / ".roo"
    return (home.with_name(".roo-code"), home) if is_usual else (home,)


def _mode_files(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - the cheapest way to look
    except OSError:
        return []
    return [folder / name for name in names if name.endswith((".yaml", ".yml"))]


def _read(place: _Place, known: Mapping[str, Mode]) -> ReadModes:
    from roo_code.config.mode_files import read_mode_file  # noqa: PLC0415 - most tasks need none
    from roo_code.config.mode_folder import read_mode_folder  # noqa: PLC0415

    if place.is_folder:
        return read_mode_folder(place.path, place.files(), place.source, known)
    return read_mode_file(place.path, place.source)


def _signature(path: Path) -> Signature | str | None:
    try:
        return signature_of(path)
    except Unreadable as error:
        return str(error)
