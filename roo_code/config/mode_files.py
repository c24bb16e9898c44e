"""Roo's files of modes: `.roomodes` of a project and `custom_modes.yaml` of a user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.config.documents import Document, parse_document, read_text
from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.mode import Mode, ModeGroup, ModeSource
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
    written: Mapping[str, dict[str, Any]] = {}
    """By slug, all that the file says of those."""


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
        document = parse_modes(path, text)
    except Unreadable as error:
        return ReadModes([], [Problem(str(error), str(path), error.line)])
    given: Any = document.data.get("customModes")
    if not document.data or (given is None and "customModes" in document.data):
        given = []
    if not is_list(given):
        line = document.line_of("customModes")
        return ReadModes([], [Problem("customModes must be a list of modes", str(path), line)])
    modes: dict[str, Mode] = {}
    written: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for index, fields in enumerate(given):
        slug = fields.get("slug") if is_object(fields) else None
        faults = [*mode_faults(fields)]
        if isinstance(slug, str) and slug in modes:
            faults.append(Fault(("slug",), "another mode of this file has it"))
        place = ("customModes", index)
        problems += [problem(document, place, fields, fault, path) for fault in faults]
        if not any(fault.spoils for fault in faults):
            modes[fields["slug"]] = as_mode(fields, source, str(path))
            written[fields["slug"]] = fields
    return ReadModes(list(modes.values()), problems, written=written)


def parse_modes(path: Path, text: str) -> Document:
    """YAML, else JSON, whatever the file is called."""
    try:
        return parse_document(path.with_suffix(".yaml"), text)
    except Unreadable:
        if not text.lstrip("\ufeff \t\r\n").startswith("{"):
            raise
        return parse_document(path.with_suffix(".json"), text)


def mode_faults(fields: Any) -> Iterator[Fault]:
    """What is wrong with a mode as Roo writes it."""
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
    value: Any = fields
    is_given = True
    for part in fault.path:
        if is_list(value) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif is_object(value) and part in value:
            value = value[str(part)]
        else:
            is_given = False
            break
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


def as_fields(mode: Mode) -> dict[str, Any]:
    """The mode as Roo writes it."""
    texts = {
        "whenToUse": mode.when_to_use,
        "description": mode.description,
        "customInstructions": mode.instructions,
    }
    return {
        "slug": mode.slug,
        "name": mode.name,
        "roleDefinition": mode.system_prompt or mode.role,
        **{key: text for key, text in texts.items() if text},
        "groups": [_group_fields(group) for group in mode.groups],
    }


def _group_fields(group: ModeGroup) -> str | list[Any]:
    options = {"fileRegex": group.file_regex, "description": group.description}
    given = {key: text for key, text in options.items() if text}
    return [group.name, given] if given else group.name
