"""Checked reading of JSON from outside: what has the wrong shape is a ProtocolError."""

from __future__ import annotations

from typing import Any

from roo_code.errors import ProtocolError
from roo_code.json_text import from_json

Fields = dict[str, Any]


def parse_object(data: bytes) -> Fields:
    try:
        parsed: Any = from_json(data)
    except ValueError as error:
        start = data[:200].decode("utf-8", "replace")
        raise ProtocolError(f"An event of the reply is not JSON ({error}): {start!r}") from error
    if not isinstance(parsed, dict):
        raise _wrong("an event", "an object")
    return parsed  # pyright: ignore[reportUnknownVariableType] - a cast takes time


def object_in(fields: Fields, key: str) -> Fields:
    """The object, empty where there is none."""
    value = fields.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(key, "an object")
    return value  # pyright: ignore[reportUnknownVariableType]


def objects_in(fields: Fields, key: str) -> list[Fields]:
    value = fields.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(key, "a list")
    for item in value:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(item, dict):
            raise _wrong(key, "a list of objects")
    return value  # pyright: ignore[reportUnknownVariableType]


def text_in(fields: Fields, key: str) -> str:
    """The text, empty where there is none."""
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(key, "a text")
    return value


def index_in(fields: Fields, key: str = "index") -> int:
    value = fields.get(key)
    if not isinstance(value, int):
        raise _wrong(key, "a number")
    return value


def count_in(fields: Fields, *keys: str) -> int:
    """The first of these counts that is there and not 0."""
    for key in keys:
        value = fields.get(key)
        if not value:
            continue
        if not isinstance(value, int | float):
            raise _wrong(key, "a number")
        return int(value)
    return 0


def _wrong(name: str, wanted: str) -> ProtocolError:
    return ProtocolError(f"In the reply, {name!r} is not {wanted}.")
