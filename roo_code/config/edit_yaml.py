"""Change some keys of a YAML text and keep its comments, order and quotes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from roo_code.config.edit_json import same
from roo_code.config.json_shapes import as_object, is_list, is_object
from roo_code.config.unreadable import Unreadable
from roo_code.config.yaml_text import is_ambiguous, lines_of_key, parse_yaml
from roo_code.errors import ConfigError


def edit_yaml(text: str, wanted: Mapping[str, Any]) -> str:
    """The text with its keys as wanted."""
    for key, value in as_object(parse_yaml(text)).items():
        if key not in wanted:
            text = _spliced(text, key, "", {})
        elif isinstance(value, (dict, list)) and not same(value, wanted[key]):
            text = _spliced(text, key, _dumped(_yaml(), {key: wanted[key]}), {key: wanted[key]})
    yaml = _yaml()
    try:
        data = yaml.load(text)
    except _error() as error:  # it is stricter than the reader: no name may stand twice
        said = getattr(error, "problem", None) or "it is no YAML"
        raise ConfigError(f"The YAML cannot be changed: {said}.", hint="Mend it by hand.") from None
    current: dict[str, Any] = data if is_object(data) else yaml.map()
    for key in list(current):
        if key not in wanted:
            del current[key]  # one that could not be cut out
    for key, value in wanted.items():
        if key not in current or not same(_plain(current[key]), value):
            current[_quoted(key)] = _quoted(value)
    return _dumped(yaml, current)


def _yaml() -> Any:
    yaml: Any = import_module("ruamel.yaml").YAML()  # loaded late: only a write needs it
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _error() -> Any:
    return import_module("ruamel.yaml.error").YAMLError


def _dumped(yaml: Any, data: Any) -> str:
    out = io.StringIO()
    yaml.dump(_quoted(data) if type(data) is dict else data, out)
    return out.getvalue()


def _spliced(text: str, key: str, replacement: str, values: Mapping[str, Any]) -> str:
    """The text with other lines for a key; ruamel would take the comments below them along."""
    lines = lines_of_key(text, key)
    if lines is None:
        return text
    kept = text.splitlines(keepends=True)
    new = "".join([*kept[: lines.start], replacement, *kept[lines.stop :]])
    expected = {name: value for name, value in parse_yaml(text).items() if name != key}
    try:
        return new if same(parse_yaml(new) or {}, {**expected, **values}) else text
    except Unreadable:
        return text


def _quoted(value: Any) -> Any:
    """What is to be written, with quotes where the reader would take a text for something else.

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
