"""Roo's files of modes: `.roomodes` of a project and `custom_modes.yaml` of a user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.config.documents import Document, parse_document, read_text
from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.mode import Mode, ModeSource
from roo_code.config.mode_fields import SLUG, Fault, group_faults, read_groups, said
from roo_code.config.problem import Problem, shown
from roo_code.config.unreadable import Unreadable

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


class ReadModes(NamedTuple):
    """Those that can be used, and what is wrong with others."""

    modes: list[Mode]
    problems: list[Problem]
    prompts: tuple[Path, ...] = ()
    """Files that hold the prompts of some."""


def read_mode_file(path: Path, source: ModeSource) -> ReadModes:
    try:
        text = read_text(path)
    except Unreadable as error:
        return ReadModes([], [Problem(str(error), str(path), error.line)])
    if text is None:
        return ReadModes([], [])
    read = _read(path, text, source)
    if read.problems and (mended := text.translate(_PASTED)) != text:
        again = _read(path, mended, source)
        return max(read, again, key=lambda file: (len(file.modes), -len(file.problems)))
    return read


def _read(path: Path, text: str, source: ModeSource) -> ReadModes:
    try:
        document = _parse(path, text)
    except Unreadable as error:
        return ReadModes([], [Problem(str(error), str(path), error.line)])
    given: Any = document.data.get("customModes")
    if not document.data or (given is None and "customModes" in document.data):
        given = []
    if not is_list(given):
        line = document.line_of("customModes")
        return ReadModes([], [Problem("customModes must be a list of modes", str(path), line)])
    modes: dict[str, Mode] = {}
    problems: list[Problem] = []
    for index, fields in enumerate(given):
        slug = fields.get("slug") if is_object(fields) else None
        faults = [*_faults(fields)]
        if isinstance(slug, str) and slug in modes:
            faults.append(Fault(("slug",), "another mode of this file has it"))
        place = ("customModes", index)
        problems += [problem(document, place, fields, fault, path) for fault in faults]
        if not any(fault.spoils for fault in faults):
            modes[fields["slug"]] = as_mode(fields, source, str(path))
    return ReadModes(list(modes.values()), problems)


def _parse(path: Path, text: str) -> Document:
    """YAML, else JSON, whatever the file is called."""
    try:
        return parse_document(path.with_suffix(".yaml"), text)
    except Unreadable:
        if not text.lstrip("\ufeff \t\r\n").startswith("{"):
            raise
        return parse_document(path.with_suffix(".json"), text)


def _faults(fields: Any) -> Iterator[Fault]:
    if not is_object(fields):
        yield Fault((), "it must be an object with slug, name, roleDefinition and groups")
        return
    slug = fields.get("slug")
    if not (isinstance(slug, str) and SLUG.fullmatch(slug)):
        yield Fault(("slug",), "it must be a word of letters, digits and dashes")
    for key in ("name", "roleDefinition"):
        value = fields.get(key)
        if not (isinstance(value, str) and value.strip()):
            yield Fault((key,), "it must be a text")
    yield from group_faults(fields.get("groups"))
    for key in ("whenToUse", "description", "customInstructions"):
        if not isinstance(fields.get(key, ""), str):
            yield Fault((key,), "it must be a text", spoils=False)


def problem(
    document: Document, place: tuple[str | int, ...], fields: Any, fault: Fault, path: Path
) -> Problem:
    """The fault of the mode at this place of a file, with its line."""
    value, is_given = fields, True
    for part in fault.path:
        is_given = part in value if is_object(value) else is_list(value) and part < len(value)
        if not is_given:
            break
        value = value[part]
    parts = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in (*place, *fault.path))
    return Problem(
        fault.message if is_given else "it is missing",
        file=str(path),
        line=document.line_of(*place, *fault.path) or document.line_of(*place) or None,
        key=parts.removeprefix("."),
        value=shown(str(fault.path[-1]), value) if is_given and fault.path else "",
        hint="Mend it or remove it.",
    )


def as_mode(fields: dict[str, Any], source: ModeSource, file: str = "") -> Mode:
    """The mode of an object without faults."""
    return Mode(
        slug=fields["slug"],
        name=said(fields, "name"),
        role=said(fields, "roleDefinition"),
        groups=read_groups(fields["groups"]),
        when_to_use=said(fields, "whenToUse"),
        description=said(fields, "description"),
        instructions=said(fields, "customInstructions"),
        source=source,
        file=file,
    )
