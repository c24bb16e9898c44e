"""Change some members of a JSON text and leave every other byte, comments too, as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.jsonc import Node, parse

_INDENT = re.compile(r"\n([ \t]+)[\"'/]")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?(?:\r?\n)?")


def edit_json(text: str, wanted: Mapping[str, Any]) -> str:
    """The text with its members as wanted."""
    if not text.strip():
        return written(wanted)
    edited = text
    for key in list(parse(text).value):
        if key not in wanted:
            edited = _removed(edited, key)
    current: dict[str, Any] = parse(edited).value
    for key, value in wanted.items():
        if key not in current:
            edited = _added(edited, key, value)
        elif not same(current[key], value):
            edited = _replaced(edited, key, value)
    if same(parse(edited).value, wanted):
        return edited
    return written(wanted, indent_of(text))  # a key stood there twice


def written(data: Mapping[str, Any], indent: str = "  ") -> str:
    return json.dumps(data, indent=indent, ensure_ascii=False) + "\n"


def same(one: Any, other: Any) -> bool:
    """Equality as JSON means it: 1 is not true."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and one == other


def indent_of(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _value_text(text: str, value: Any) -> str:
    indent, newline = indent_of(text), _newline(text)
    lines = json.dumps(value, indent=indent, ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _replaced(text: str, key: str, value: Any) -> str:
    for member in reversed(parse(text).members):  # of several with one name the last counts
        if member.key == key:
            return text[: member.node.start] + _value_text(text, value) + text[member.node.end :]
    return text


def _added(text: str, key: str, value: Any) -> str:
    root = parse(text)
    newline, indent = _newline(text), indent_of(text)
    line = f"{newline}{indent}{json.dumps(key, ensure_ascii=False)}: {_value_text(text, value)}"
    if not root.members:
        inside = text[root.start + 1 : root.end - 1].rstrip()
        return f"{text[: root.start + 1]}{inside}{line}{newline}{text[root.end - 1 :]}"
    last = root.members[-1]
    if last.comma is None:
        text = f"{text[: last.node.end]},{text[last.node.end :]}"
        place = last.node.end + 1
    else:
        place = last.comma + 1
        line += ","
    place = _end_of_line(text, place)
    if "\n" not in text[root.start : root.end]:
        return text[:place] + line.replace(newline + indent, " ", 1) + text[place:]
    return text[:place] + line + text[place:]


def _end_of_line(text: str, place: int) -> int:
    """Behind a comment that stands on the same line."""
    found = _REST_OF_LINE.match(text, place)
    rest = found[0] if found else ""
    return place + len(rest.rstrip("\r\n")) if "//" in rest else place


def _removed(text: str, key: str) -> str:
    while (place := _place(parse(text), key)) is not None:
        text = _without_member(text, parse(text), place)
    return text


def _place(root: Node, key: str) -> int | None:
    return next((n for n, member in enumerate(root.members) if member.key == key), None)


def _without_member(text: str, root: Node, place: int) -> str:
    member = root.members[place]
    if member.comma is not None:
        return _without(text, member.start, member.comma + 1)
    text = _without(text, member.start, member.node.end)
    if place:
        comma = root.members[place - 1].comma
        assert comma is not None  # there is one between any two
        text = text[:comma] + text[comma + 1 :]
    return text


def _without(text: str, start: int, end: int) -> str:
    """Cut out what may be a whole line, with the comment at its end."""
    begins = len(text[:start].rstrip(" \t"))
    rest = _REST_OF_LINE.match(text, end)
    if rest and rest[0].endswith("\n") and text[:begins].endswith("\n"):
        return text[:begins] + text[rest.end() :]
    return text[:start] + text[end:].lstrip(" \t")
