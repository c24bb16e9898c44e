"""A server's input schema as the model services accept it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roo_code.config.json_shapes import is_list, is_object

_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_UNIONS = ("anyOf", "oneOf", "allOf")
_DEEPEST = 40


def shown_input(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """An object schema: without unions at the top, unknown formats and lists of types."""
    top = dict(schema or {})
    top.pop("$schema", None)
    for union in _UNIONS:
        variants = top.pop(union, None)
        if is_list(variants) and "properties" not in top:
            objects = [v for v in variants if is_object(v) and "properties" in v]
            top = {**(objects[0] if objects else {}), **top}
    shown = _plain({**top, "type": "object"}, 0)
    return {**shown, "properties": shown.get("properties") or {}}


def _plain(node: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        return {}
    if is_list(node):
        return [_plain(item, depth + 1) for item in node]
    if not is_object(node):
        return node
    fields = {name: _plain(value, depth + 1) for name, value in node.items()}
    kinds = fields.get("type")
    if is_list(kinds):
        del fields["type"]
        fields["anyOf"] = [{"type": kind} for kind in kinds]
    if isinstance(fields.get("format"), str) and fields["format"] not in _FORMATS:
        del fields["format"]
    known = fields.get("properties")
    if is_list(fields.get("required")) and is_object(known):
        fields["required"] = [name for name in fields["required"] if name in known]
    return fields
