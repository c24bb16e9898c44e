"""Change some keys of a YAML text and leave every other line, comments too, as it is."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from itertools import takewhile
from typing import Any

from roo_code.config.edit_json import same
from roo_code.config.json_shapes import as_object, is_list, is_object
from roo_code.config.unreadable import Unreadable
from roo_code.config.yaml_text import Span, dump_yaml, is_ambiguous, parse_yaml, span_of_key
from roo_code.errors import ConfigError


def edit_yaml(text: str, wanted: Mapping[str, Any]) -> str:
    """The text with its keys as wanted."""
    edited = text
    for key, value in as_object(parse_yaml(text)).items():
        if key not in wanted:
            edited = _spliced(edited, key)
        elif not same(value, wanted[key]):
            edited = _spliced(edited, key, {key: wanted[key]})
    before = as_object(parse_yaml(text))
    if new := {key: value for key, value in wanted.items() if key not in before}:
        edited = edited.rstrip("\n") + "\n" if edited.strip() else edited
        edited += dump_yaml(new)
    return edited if _says(edited, wanted) else _edited_by_ruamel(text, wanted)


def _says(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return same(parse_yaml(text) or {}, dict(wanted))
    except Unreadable:
        return False


def _spliced(text: str, key: str, replacement: Mapping[str, Any] | None = None) -> str:
    """The text with something else in place of a key's value, or without the key."""
    span = span_of_key(text, key)
    if span is None:
        return text
    lines = text.split("\n")
    written = dump_yaml(replacement) if replacement else ""
    if span.inline and written.count("\n") == 1:
        value = written.rstrip("\n").partition(": ")[2]
        line = lines[span.last]
        lines[span.last] = f"{line[: span.inline[0]]}{value}{line[span.inline[1] :]}"
        new = "\n".join(lines)
    else:
        new = _with_lines(lines, span, written)
    expected = {k: v for k, v in parse_yaml(text).items() if k != key}
    return new if _says(new, {**expected, **(replacement or {})}) else text


def _with_lines(lines: list[str], span: Span, written: str) -> str:
    between = written.rstrip("\n").split("\n") if written else []
    return "\n".join([*lines[: span.first], *between, *lines[span.last + 1 :]])


def _edited_by_ruamel(text: str, wanted: Mapping[str, Any]) -> str:
    """For texts of another shape, such as {a: 1}; it keeps most comments and respells the rest."""
    yaml: Any = import_module("ruamel.yaml").YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        data = yaml.load(text)
    except import_module("ruamel.yaml.error").YAMLError as error:
        # It is stricter than the reader: no name may stand twice.
        said = getattr(error, "problem", None) or "it is no YAML"
        raise ConfigError(f"The YAML cannot be changed: {said}.", hint="Mend it by hand.") from None
    current: dict[str, Any] = data if is_object(data) else yaml.map()
    for key in [key for key in current if key not in wanted]:
        del current[key]
    for key, value in wanted.items():
        if key not in current or not same(_plain(current[key]), value):
            current[_quoted(key)] = _quoted(value)
    out = io.StringIO()
    yaml.dump(current, out)
    written = out.getvalue()
    head = "".join(takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))
    return written if written.startswith(head) else head + written


def _quoted(value: Any) -> Any:
    """With quotes where the reader would take a text for something else.

    It reads YAML 1.1, in which a bare `no` is false; ruamel writes 1.2, in which it is a text.
    """
    if is_object(value):
        return {_quoted(name): _quoted(item) for name, item in value.items()}
    if is_list(value):
        return [_quoted(item) for item in value]
    if isinstance(value, str) and is_ambiguous(value):
        return import_module("ruamel.yaml.scalarstring").DoubleQuotedScalarString(value)
    return value


def _plain(value: Any) -> Any:
    """What ruamel read, in plain types."""
    if is_object(value):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if is_list(value):
        return [_plain(item) for item in value]
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value
