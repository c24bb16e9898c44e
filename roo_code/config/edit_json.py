"""Change some members of a JSON text and leave every other byte, comments too, as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from roo_code.config.jsonc import Node, parse

_INDENT = re.compile(r"\n([ \t]+)[\"'/]")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?(?:\r?\n)?")
_LINE_START = re.compile(r"(?:\r?\n)?[ \t]*$")


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
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = _members(one), _members(other)
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(one, list) and isinstance(other, list):
        ones, others = _items(one), _items(other)
        return len(ones) == len(others) and all(map(same, ones, others))
    return type(one) is type(other) and one == other


def _members(value: Any) -> dict[str, Any]:
    return value


def _items(value: Any) -> list[Any]:
    return value


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
    while member_places := _places(parse(text), key):
        start, end = member_places
        text = _cut(text, start, end)
    return text


def _places(root: Node, key: str) -> tuple[int, int] | None:
    """From where to where to cut, so that commas stay right."""
    for number, member in enumerate(root.members):
        if member.key != key:
            continue
        if member.comma is not None:
            return member.start, member.comma + 1
        if number:
            before = root.members[number - 1].comma
            assert before is not None  # there is one between any two
            return before, member.node.end
        return member.start, member.node.end
    return None


def _cut(text: str, start: int, end: int) -> str:
    head, tail = text[:start], text[end:]
    if head.endswith(","):
        return head + tail
    begins_line = _LINE_START.search(head)
    rest = _REST_OF_LINE.match(tail)
    if text[start] != "," and begins_line and rest and rest[0].endswith("\n"):
        return head[: begins_line.start()] + _newline(text) + tail[rest.end() :]
    return head + tail.lstrip(" \t") if text[start] != "," else head + tail
