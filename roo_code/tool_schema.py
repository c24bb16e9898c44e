"""The JSON schema that a model is shown of a tool's input type."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel


@cache
def shown_schema(input_type: type[BaseModel]) -> dict[str, Any]:
    """Pydantic's schema without titles, which cost tokens, and references, which some refuse."""
    schema = input_type.model_json_schema()
    shown = _plain(schema, schema.get("$defs", {}))
    shown.setdefault("properties", {})
    shown["additionalProperties"] = False
    return shown


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    items = cast(dict[str, Any], node)
    if reference := items.get("$ref"):
        target = definitions[str(reference).removeprefix("#/$defs/")]
        items = {**target, **{key: value for key, value in items.items() if key != "$ref"}}
    plain: dict[str, Any] = {}
    for key, value in items.items():
        if key == "properties":  # here the keys are names of fields, and one may be "title"
            plain[key] = {name: _plain(child, definitions) for name, child in value.items()}
        elif key not in {"title", "$defs"}:
            plain[key] = _plain(value, definitions)
    return _without_null(plain)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """An optional field is one that may be left out; saying null as well only confuses models."""
    choices: list[Any] = node.get("anyOf", [])
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) == len(choices) or len(others) != 1:
        return node
    rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
    return {**others[0], **rest}
