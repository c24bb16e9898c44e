"""A folder of modes, one YAML file each: `.roo/modes/code.yaml` is the mode `code`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roo_code.config.documents import Document, read_document, read_text
from roo_code.config.json_shapes import as_object, is_list, is_object
from roo_code.config.mode import Mode, ModeGroup, ModeSource
from roo_code.config.mode_fields import (
    SLUG,
    Fault,
    group_faults,
    pattern_problem,
    read_groups,
    said,
    unless_all,
)
from roo_code.config.mode_files import ReadModes, problem
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable

_TEXTS = ("name", "description", "when_to_use", "role", "instructions", "system_prompt_file")


def read_mode_folder(
    config: Path, files: Iterable[Path], source: ModeSource, known: Mapping[str, Mode]
) -> ReadModes:
    """Prompts lie below `config`. What a file leaves unsaid is as in the mode that it replaces."""
    read = ReadModes([], [])
    prompts: list[Path] = []
    for path in files:
        try:
            document = read_document(path)
        except Unreadable as error:
            read.problems.append(Problem(str(error), str(path), error.line))
            continue
        if document is None:
            continue
        faults = [*_faults(path, document.data)]
        prompt, missing = "", None
        if not faults and (file := said(document.data, "system_prompt_file")):
            prompts.append(config / file)
            prompt, missing = _prompt(config, file)
            faults += [Fault(("system_prompt_file",), missing)] if missing else []
        if faults:
            told = (problem(document, (), document.data, fault, path) for fault in faults)
            read.problems.extend(told)
        else:
            read.modes.append(_mode(document, prompt, source, known.get(path.stem)))
    return read._replace(prompts=tuple(prompts))


def _faults(path: Path, fields: dict[str, Any]) -> Iterator[Fault]:
    if not SLUG.fullmatch(path.stem):
        yield Fault((), "the file's name must be a word of letters, digits and dashes")
    for key in _TEXTS:
        if not isinstance(fields.get(key) or "", str):
            yield Fault((key,), "it must be a text")
    if fields.get("groups") is not None:
        yield from group_faults(fields["groups"])
    restrictions: Any = fields.get("file_restrictions") or {}
    if not is_object(restrictions):
        yield Fault(("file_restrictions",), "it must hold allow_patterns, or be an empty list")
        return
    patterns: Any = restrictions.get("allow_patterns") or []
    if not is_list(patterns):
        yield Fault(("file_restrictions", "allow_patterns"), "it must be a list of patterns")
        return
    for index, pattern in enumerate(patterns):
        if told := pattern_problem(pattern):
            yield Fault(("file_restrictions", "allow_patterns", index), told)


def _prompt(config: Path, file: str) -> tuple[str, str | None]:
    """The text of the file, or what is wrong with it; a stranger's file must not name another's."""
    path = config / file
    root = os.path.realpath(config)
    if os.path.commonpath((root, os.path.realpath(path))) != root:
        return "", f"{str(path)!r} is outside {str(config)!r}"
    try:
        text = read_text(path)
    except Unreadable as error:
        return "", f"{str(path)!r}: {error}"
    return (text, None) if text is not None else ("", f"there is no file {str(path)!r}")


def _mode(document: Document, prompt: str, source: ModeSource, replaced: Mode | None) -> Mode:
    fields, slug = document.data, document.path.stem
    before = replaced or Mode(slug=slug, name=slug, role="", groups=())
    given = fields.get("groups")
    groups = before.groups if given is None else read_groups(given)
    return Mode(
        slug=slug,
        name=said(fields, "name") or before.name,
        role=said(fields, "role", "roleDefinition") or before.role or said(fields, "description"),
        groups=_restricted(groups, fields.get("file_restrictions")),
        when_to_use=said(fields, "when_to_use") or before.when_to_use,
        description=said(fields, "description") or before.description,
        instructions=said(fields, "instructions", "customInstructions") or before.instructions,
        system_prompt=prompt.strip() or before.system_prompt,
        source=source,
        file=str(document.path),
    )


def _restricted(groups: tuple[ModeGroup, ...], given: Any) -> tuple[ModeGroup, ...]:
    """With the patterns for the editing tools: one of them has to match."""
    if given is None:
        return groups
    patterns: list[str] = as_object(given).get("allow_patterns") or []
    regex = "" if any(not unless_all(pattern) for pattern in patterns) else "|".join(patterns)
    return tuple(ModeGroup("edit", regex) if group.name == "edit" else group for group in groups)
