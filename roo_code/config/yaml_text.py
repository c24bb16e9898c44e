"""YAML, read with the line of everything in it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from roo_code.config.unreadable import Unreadable

_DEEPEST = 100


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
