"""Which modes the files of the project and of the user define; what modes do is not known here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from roo_code.config.documents import Document, parse_document, read_text
from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.paths import settings_folder
from roo_code.config.problem import Problem, shown
from roo_code.config.unreadable import Unreadable

ModeSource: TypeAlias = Literal["project", "global"]

_SLUG = re.compile(r"[a-zA-Z0-9-]+")
_PASTED = str.maketrans(
    {
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        "\u00a0": " ",
    }
)
"""What web pages and word processors make of spaces, dashes and quotes."""


class CustomMode(NamedTuple):
    slug: str
    name: str
    source: ModeSource
    when_to_use: str = ""
    description: str = ""


class CustomModes(NamedTuple):
    """Those that can be used, and what is wrong with others."""

    modes: list[CustomMode]
    problems: list[Problem]


def list_custom_modes(workspace: Path, home: Path) -> CustomModes:
    """Each slug once: the project's mode, else the user's."""
    found: dict[str, CustomMode] = {}
    problems: list[Problem] = []
    files: tuple[tuple[ModeSource, Path], ...] = (
        ("global", home / "custom_modes.yaml"),
        ("global", settings_folder(home) / "custom_modes.yaml"),
        ("project", workspace / ".roomodes"),
    )
    for source, path in files:
        file = read_mode_file(path, source)
        found.update((mode.slug, mode) for mode in file.modes)
        problems += file.problems
    return CustomModes(list(found.values()), problems)


def read_mode_file(path: Path, source: ModeSource) -> CustomModes:
    try:
        text = read_text(path)
    except Unreadable as error:
        return CustomModes([], [Problem(str(error), str(path), error.line)])
    if text is None:
        return CustomModes([], [])
    read = _read(path, text, source)
    if read.problems and (mended := text.translate(_PASTED)) != text:
        again = _read(path, mended, source)
        return max(read, again, key=lambda file: (len(file.modes), -len(file.problems)))
    return read


def _read(path: Path, text: str, source: ModeSource) -> CustomModes:
    try:
        document = _parse(path, text)
    except Unreadable as error:
        return CustomModes([], [Problem(str(error), str(path), error.line)])
    given: Any = document.data.get("customModes")
    if not document.data or (given is None and "customModes" in document.data):
        given = []
    if not is_list(given):
        line = document.line_of("customModes")
        return CustomModes([], [Problem("customModes must be a list of modes", str(path), line)])
    modes: dict[str, CustomMode] = {}
    problems: list[Problem] = []
    for index, fields in enumerate(given):
        slug = fields.get("slug") if is_object(fields) else None
        faults = [*_faults(fields)]
        if isinstance(slug, str) and slug in modes:
            faults.append(_Fault("slug", "another mode of this file has it"))
        problems += [_problem(path, document, index, fields, fault) for fault in faults]
        if not any(fault.spoils for fault in faults):
            mode = _mode(fields, source)
            modes[mode.slug] = mode
    return CustomModes(list(modes.values()), problems)


def _parse(path: Path, text: str) -> Document:
    """YAML, else JSON, whatever the file is called."""
    try:
        return parse_document(path.with_suffix(".yaml"), text)
    except Unreadable:
        if not text.lstrip("\ufeff \t\r\n").startswith("{"):
            raise
        return parse_document(path.with_suffix(".json"), text)


class _Fault(NamedTuple):
    key: str
    message: str
    spoils: bool = True
    """Whether there is no mode without it."""


def _faults(fields: Any) -> Iterator[_Fault]:
    if not is_object(fields):
        yield _Fault("", "it must be an object with slug, name, roleDefinition and groups")
        return
    slug = fields.get("slug")
    if not (isinstance(slug, str) and _SLUG.fullmatch(slug)):
        yield _Fault("slug", "it must be a word of letters, digits and dashes")
    for key in ("name", "roleDefinition"):
        value = fields.get(key)
        if not (isinstance(value, str) and value.strip()):
            yield _Fault(key, "it must be a text")
    if not is_list(fields.get("groups")):
        yield _Fault("groups", "it must be a list, such as [read, edit]")
    for key in ("whenToUse", "description", "customInstructions"):
        if not isinstance(fields.get(key, ""), str):
            yield _Fault(key, "it must be a text", spoils=False)


def _problem(path: Path, document: Document, index: int, fields: Any, fault: _Fault) -> Problem:
    place: tuple[str | int, ...] = ("customModes", index)
    line = document.line_of(*place, fault.key) if fault.key else None
    given = is_object(fields) and fault.key in fields
    return Problem(
        fault.message if given or not fault.key else "it is missing",
        file=str(path),
        line=line or document.line_of(*place),
        key=f"customModes[{index}]{'.' if fault.key else ''}{fault.key}",
        value=shown(fault.key, fields[fault.key]) if given else "",
        hint="Mend it or remove it.",
    )


def _mode(fields: dict[str, Any], source: ModeSource) -> CustomMode:
    def said(key: str) -> str:
        value = fields.get(key)
        return value.strip() if isinstance(value, str) else ""

    return CustomMode(
        slug=fields["slug"],
        name=said("name"),
        source=source,
        when_to_use=said("whenToUse"),
        description=said("description"),
    )
