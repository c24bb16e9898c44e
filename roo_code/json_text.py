"""JSON in and out, in one place: strict as the standard has it, and fast."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def to_json(value: Any) -> bytes:
    """Compact, UTF-8. Lone surrogates, which no service accepts, become question marks."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        import json  # noqa: PLC0415 - for broken text only

        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def from_json(text: bytes | str) -> Any:
    """The value; ValueError where the text is not JSON."""
    try:
        return _decode(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
