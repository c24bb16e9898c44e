"""Modes as people keep and pass them on: added to a file, exported with their rules, imported."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from roo_code.config.documents import parse_document, read_text
from roo_code.config.edit_json import edit_json
from roo_code.config.edit_yaml import edit_yaml
from roo_code.config.json_shapes import as_object, is_list
from roo_code.config.mode import Mode
from roo_code.config.mode_files import as_fields, parse_modes, read_mode_file
from roo_code.config.paths import settings_folder
from roo_code.config.problem import Problem
from roo_code.config.safe_files import locked, replace_file, unwritable
from roo_code.config.unreadable import Unreadable
from roo_code.config.yaml_text import dump_yaml
from roo_code.errors import ConfigError

_OF_EXPORTS = frozenset({"rulesFiles", "source"})


class ModePlace(NamedTuple):
    """Where modes are kept: a project's, or the user's own."""

    file: Path
    config: Path
    """The folder with their rules."""

    @classmethod
    def of_project(cls, workspace: Path) -> ModePlace:
        return cls(workspace / ".roomodes", workspace / ".roo")

    @classmethod
    def of_user(cls, home: Path) -> ModePlace:
        return cls(settings_folder(home) / "custom_modes.yaml", home)

    def rules(self, slug: str) -> Path:
        return self.config / f"rules-{slug}"

    def save(self, *modes: Mapping[str, Any]) -> None:
        """Add them, or put them in place of those with their slugs; all else stays as it is."""
        path = self.file.resolve()  # of a link, the file it leads to is replaced
        with locked(path):
            text = _text(path)
            data = _parsed(path, text)
            known: Any = data.get("customModes") or []
            if not is_list(known):
                raise ConfigError(f"{str(path)!r}: customModes must be a list.", hint="Mend it.")
            slugs = {mode["slug"] for mode in modes}
            kept = [mode for mode in known if as_object(mode).get("slug") not in slugs]
            wanted = data | {"customModes": [*kept, *modes]}
            is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
            edited = edit_json(text, wanted) if is_json else edit_yaml(text, wanted)
            replace_file(path, edited.encode())


class ImportedModes(NamedTuple):
    slugs: list[str]
    rules: int
    """How many files of rules came with them."""
    problems: list[Problem]


def export_mode(mode: Mode, rules: Path) -> str:
    """The mode and the files of its folder of rules, in Roo's form.

    Roo leaves out what lies in folders below; but it counts, and an import replaces them all.
    """
    found: list[dict[str, str]] = []
    for path in sorted(rules.rglob("*")):
        if path.is_file():
            try:
                content = read_text(path)
            except Unreadable as error:
                raise ConfigError(f"{str(path)!r} cannot be exported: {error}.") from None
            name = path.relative_to(rules).as_posix()
            found.append({"relativePath": name, "content": content or ""})
    fields = as_fields(mode) | {"source": "project"} | ({"rulesFiles": found} if found else {})
    return dump_yaml({"customModes": [fields]})


def import_modes(path: Path, place: ModePlace) -> ImportedModes:
    """Put the modes of a file, and their rules, into a place; what is wrong is left out."""
    if not path.is_file():
        raise ConfigError(f"There is no file {str(path)!r}.")
    read = read_mode_file(path, "project")
    if not read.modes and not read.problems:
        raise ConfigError(
            f"There are no modes in {str(path)!r}.",
            hint="It needs a list customModes, as in .roomodes or in what roo modes export writes.",
        )
    if read.modes:
        place.save(*map(_kept, read.written.values()))
    problems, count = list(read.problems), 0
    for slug, fields in read.written.items():
        if is_list(files := fields.get("rulesFiles")):
            rules, skipped = _rules(files, str(path))
            problems += skipped
            _replace_folder(place.rules(slug), rules, place.config)
            count += len(rules)
    return ImportedModes([mode.slug for mode in read.modes], count, problems)


def _kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What stays in a file of modes, also what only other versions know."""
    return {key: value for key, value in fields.items() if key not in _OF_EXPORTS}


def _rules(files: list[Any], source: str) -> tuple[dict[PurePosixPath, str], list[Problem]]:
    """Texts by their paths below the folder of rules; a path that leads elsewhere is left out."""
    rules: dict[PurePosixPath, str] = {}
    problems: list[Problem] = []
    for entry in map(as_object, files):
        name, content = entry.get("relativePath"), entry.get("content")
        path = PurePosixPath(str(name).replace("\\", "/"))
        if len(path.parts) > 1 and path.parts[0].startswith("rules-"):
            path = path.relative_to(path.parts[0])  # as older versions of Roo wrote it
        if not isinstance(name, str) or _leads_elsewhere(path):
            problems.append(Problem(f"the rules file {name!r} leads elsewhere; left out", source))
        elif not isinstance(content, str):
            problems.append(Problem(f"the rules file {name!r} has no content; left out", source))
        else:
            rules[path] = content
    return rules, problems


def _leads_elsewhere(path: PurePosixPath) -> bool:
    text = str(path)
    return path.is_absolute() or text == "." or ".." in path.parts or bool({":", "\0"} & {*text})


def _replace_folder(folder: Path, files: Mapping[PurePosixPath, str], config: Path) -> None:
    """All at once: whoever reads meanwhile finds the old rules or the new."""
    new, old = (folder.with_name(f".{folder.name}.{os.urandom(6).hex()}") for _ in range(2))
    try:
        config.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(content.encode())
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            folder.rename(old)
        if files:
            new.rename(folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _text(path: Path) -> str:
    try:
        return read_text(path) or ""
    except Unreadable as error:
        raise _unusable(path, error) from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return parse_modes(path, text).data if text.strip() else parse_document(path, "").data
    except Unreadable as error:
        raise _unusable(path, error) from None


def _unusable(path: Path, error: Unreadable) -> ConfigError:
    line = f" (line {error.line})" if error.line else ""
    return ConfigError(f"{str(path)!r} cannot be used: {error}{line}.", hint="Mend the file.")
