"""A request as bytes, whatever was in the files that tools have read."""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import to_json


def as_json(body: dict[str, Any]) -> bytes:
    try:
        return to_json(body, inf_nan_mode="null")
    except ValueError:  # a lone surrogate, from a file whose bytes are not text
        return to_json(_clean(body), inf_nan_mode="null")


def _clean(node: Any) -> Any:
    if isinstance(node, str):
        return node.encode("utf-8", "replace").decode()
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        return {_clean(key): _clean(value) for key, value in fields.items()}
    if isinstance(node, list | tuple):
        return [_clean(item) for item in cast("list[Any]", node)]
    return node
