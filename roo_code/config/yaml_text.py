"""YAML, read with the line of everything in it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from roo_code.config.unreadable import Unreadable

_DEEPEST = 100
_TEXT_TAG = "tag:yaml.org,2002:str"


def _yaml() -> Any:
    """Loaded late, since most settings are JSON."""
    return import_module("yaml")


def parse_yaml(text: str) -> Any:
    """The value of the text, or Unreadable."""
    yaml = _yaml()
    try:
        _refuse_tricks(yaml, text)
        return yaml.load(text, yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or "it is no YAML"
        raise Unreadable(f"the YAML is broken: {said}", mark.line + 1 if mark else None) from None
    except (ValueError, RecursionError) as error:  # such as a date that does not exist
        raise Unreadable(f"the YAML is broken: {error}") from None


def _refuse_tricks(yaml: Any, text: str) -> None:
    """A project's file is a stranger's: nesting could crash the parser, aliases fill memory."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable("aliases (*name) are not supported", event.start_mark.line + 1)
        if depth > _DEEPEST:
            raise Unreadable("it is nested too deeply", event.start_mark.line + 1)


def is_ambiguous(text: str) -> bool:
    """Whether the text without quotes would be read as a switch, a number or a date."""
    yaml = _yaml()
    return yaml.SafeLoader("").resolve(yaml.ScalarNode, text, (True, False)) != _TEXT_TAG


class Span(NamedTuple):
    """The lines of a key and its value, without comments below."""

    first: int
    last: int
    inline: tuple[int, int] | None
    """From where to where the value stands in the last line, if it is all in one."""


def span_of_key(text: str, key: str) -> Span | None:
    """Where a key of the whole text stands; None if the text is not a key to a line."""
    yaml = _yaml()
    root = yaml.compose(text, yaml.CSafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    for name, value in root.value:
        if name.value == key:
            start, end = value.start_mark, value.end_mark
            one_line = isinstance(value, yaml.ScalarNode) and value.style not in ("|", ">")
            within = start.line == end.line == name.start_mark.line and start.column < end.column
            inline = (start.column, end.column) if one_line and within else None
            return Span(name.start_mark.line, _last_line(yaml, value), inline)
    return None


def _last_line(yaml: Any, node: Any) -> int:
    """A block ends, for the parser, only where something else begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(yaml, last[1] if isinstance(last, tuple) else last)
    end = node.end_mark
    return end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line


def dump_yaml(data: Mapping[str, Any]) -> str:
    yaml = _yaml()
    return yaml.dump(
        dict(data), Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=4096
    )


def line_in_yaml(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line of the value that the path leads to."""
    yaml = _yaml()
    place = node = yaml.compose(text, yaml.CSafeLoader)
    for part in path:
        if isinstance(node, yaml.MappingNode):
            pairs = [pair for pair in node.value if pair[0].value == part]
            if not pairs:
                return None
            place, node = pairs[-1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            if part >= len(node.value):
                return None
            place = node = node.value[part]
        else:
            return None
    return place.start_mark.line + 1 if place is not None else None
