"""JSON in and out, in one place: strict as the standard has it, and fast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    )
else:
    JsonValue = Any  # whatever comes out of JSON; there is nothing to check at run time

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def to_json(value: Any) -> bytes:
    """Compact, UTF-8. Lone surrogates, which no reader accepts, become question marks."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        import json  # noqa: PLC0415 - for broken text and for numbers without measure only

        plain = _clean(msgspec.to_builtins(value, str_keys=True))
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def from_json(text: bytes | str) -> Any:
    """The value; ValueError where the text is not JSON."""
    try:
        return _decode(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def partial_json(text: str) -> Any:
    """What can be told of JSON that is still being written; None if nothing can."""
    from pydantic_core import from_json as read  # noqa: PLC0415 - few front ends need it

    try:
        return read(text, allow_partial="trailing-strings")
    except ValueError:
        return None


def _clean(node: Any) -> Any:
    if isinstance(node, str):
        return node.encode("utf-8", "replace").decode()
    if isinstance(node, float):
        return node if math.isfinite(node) else None
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        return {_clean(key): _clean(value) for key, value in fields.items()}
    if isinstance(node, list | tuple):
        return [_clean(item) for item in cast("list[Any]", node)]
    return node
