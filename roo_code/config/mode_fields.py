"""What may stand in the definition of a mode, whichever file it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from roo_code.config.file_pattern import BadPattern, file_pattern
from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.mode import GROUPS, ModeGroup

SLUG = re.compile(r"[a-zA-Z0-9-]+")


class Fault(NamedTuple):
    path: tuple[str | int, ...]
    """Of names, to what is wrong."""
    message: str
    spoils: bool = True
    """Whether there is no mode without it."""


def group_faults(given: Any) -> Iterator[Fault]:
    """What is wrong with `groups`."""
    if not is_list(given):
        yield Fault(("groups",), "it must be a list, such as [read, edit]")
        return
    seen: set[Any] = set()
    for index, entry in enumerate(given):
        name, options = _entry(entry)
        if name not in GROUPS:
            known = ", ".join(GROUPS)
            yield Fault(("groups", index), f"there is no such group; there are {known}")
        elif name in seen:
            yield Fault(("groups", index), "this group is there already")
        seen.add(name if isinstance(name, str) else None)
        if options is None:
            shape = "it must be a name, or a name and an object with fileRegex: [edit, {…}]"
            yield Fault(("groups", index), shape)
            continue
        if not isinstance(options.get("description") or "", str):
            yield Fault(("groups", index, 1, "description"), "it must be a text")
        if problem := pattern_problem(options.get("fileRegex") or ""):
            yield Fault(("groups", index, 1, "fileRegex"), problem)


def pattern_problem(given: Any) -> str:
    """What is wrong with a pattern for paths; empty if nothing is."""
    if not isinstance(given, str):
        return "it must be a text"
    try:
        file_pattern(given)
    except BadPattern as error:
        return str(error)
    return ""


def read_groups(given: list[Any]) -> tuple[ModeGroup, ...]:
    """Those of a list without faults."""
    groups: list[ModeGroup] = []
    for entry in given:
        name, options = _entry(entry)
        options = options or {}
        regex, description = (str(options.get(key) or "") for key in ("fileRegex", "description"))
        groups.append(ModeGroup(name, unless_all(regex), description.strip()))
    return tuple(groups)


def unless_all(regex: str) -> str:
    """Empty for the pattern that people write for "all files"."""
    return "" if regex == ".*" else regex


def _entry(entry: Any) -> tuple[Any, dict[str, Any] | None]:
    """The name of the group and its options; None for options of the wrong shape."""
    if not is_list(entry):
        return (entry, {}) if isinstance(entry, str) else (None, None)
    name = entry[0] if entry and isinstance(entry[0], str) else None
    options: Any = entry[1] if len(entry) > 1 else {}
    is_right = name is not None and len(entry) <= 2 and (options is None or is_object(options))
    return name, (options or {}) if is_right else None


def said(fields: dict[str, Any], *keys: str) -> str:
    """The first of these texts that is there."""
    values = (fields.get(key) for key in keys)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")
