"""The fields of a form that a server wants filled in: how each is asked, and what is an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from roo_code.mcp_client.strange_text import label, shown

FormValue: TypeAlias = str | int | float | bool | list[str] | None
_YES, _NO = ("yes", "y", "true"), ("no", "n", "false")
MOST_FIELDS = 30
_MOST_SHOWN = 20


class FormField(NamedTuple):
    name: str
    schema: Mapping[str, Any]
    is_required: bool

    @property
    def kind(self) -> str:
        return str(self.schema.get("type", "string"))

    @property
    def has_default(self) -> bool:
        return isinstance(self.schema.get("default"), str | int | float | list)

    @property
    def shown_default(self) -> str:
        default = self.schema.get("default")
        several = ", ".join(map(str, _list(default)))
        return label(several or str(default))

    def about(self) -> str:
        """What is wanted, in the server's words and with its limits."""
        text = label(str(self.schema.get("title") or self.name))
        text += "" if self.is_required else " (may be left out)"
        if described := self.schema.get("description"):
            text += f"\n{shown(str(described))}"
        limits = ", ".join(self._limits())
        return f"{text}\n{limits[0].upper()}{limits[1:]}." if limits else text

    def suggestions(self) -> tuple[str, ...]:
        """Answers to choose from, where one is enough."""
        if self.kind == "boolean":
            return ("yes", "no")
        return tuple(self._choices())[:_MOST_SHOWN] if self.kind != "array" else ()

    def parse(self, said: str) -> FormValue:
        """The value meant; ValueError says what is wrong with it."""
        match self.kind:
            case "boolean":
                return _truth(said)
            case "integer" | "number":
                return self._number(said)
            case "array":
                return self._several(said)
            case _:
                choices = self._choices()
                return _chosen(said, choices) if choices else self._text(said)

    def _limits(self) -> Iterable[str]:
        choices, schema = self._choices(), self.schema
        if self.kind == "array":
            yield "any of these, with commas in between: " + "; ".join([*choices][:_MOST_SHOWN])
        elif self.kind in ("integer", "number"):
            yield "a whole number" if self.kind == "integer" else "a number"
        elif "format" in schema:
            yield f"as {label(str(schema['format']))}"
        for name, words in _LIMITS.items():
            if name in schema:
                yield words.format(label(str(schema[name])))

    def _choices(self) -> dict[str, FormValue]:
        """The values to choose from, by how they are shown."""
        schema = _mapping(self.schema.get("items")) if self.kind == "array" else self.schema
        for titled in ("oneOf", "anyOf"):
            options = [o for o in map(_mapping, _list(schema.get(titled))) if "const" in o]
            if options:
                return {label(str(o.get("title") or o["const"])): o["const"] for o in options}
        values = _list(schema.get("enum"))
        names = _list(schema.get("enumNames")) or values
        return {label(str(name)): value for name, value in zip(names, values, strict=False)}

    def _number(self, said: str) -> FormValue:
        kind = "whole number" if self.kind == "integer" else "number"
        try:
            value = int(said) if self.kind == "integer" else float(said)
        except ValueError:
            raise ValueError(f"That is not a {kind}.") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"That is not a {kind}.")
        self._check(value, "minimum", "maximum")
        return value

    def _several(self, said: str) -> FormValue:
        words = [word.strip() for word in said.split(",")]
        choices = self._choices()
        chosen = [str(_chosen(word, choices)) if choices else word for word in words if word]
        self._check(len(chosen), "minItems", "maxItems")
        return chosen

    def _text(self, said: str) -> FormValue:
        self._check(len(said), "minLength", "maxLength")
        return said

    def _check(self, value: float, least: str, most: str) -> None:
        lowest, highest = self.schema.get(least), self.schema.get(most)
        if isinstance(lowest, int | float) and value < lowest:
            raise ValueError(f"It must be {_LIMITS[least].format(lowest)}.")
        if isinstance(highest, int | float) and value > highest:
            raise ValueError(f"It must be {_LIMITS[most].format(highest)}.")


_LIMITS: Mapping[str, str] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}


def fields_of(schema: Mapping[str, Any]) -> list[FormField]:
    """In the server's order; more than a person would fill in are a mistake or worse."""
    fields = _fields(schema)
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"The form has {len(fields)} fields, more than {MOST_FIELDS}.")
    return fields


def presets(schema: Mapping[str, Any]) -> dict[str, FormValue]:
    """The form's own values, for fields that are left as they are."""
    return {field.name: field.schema["default"] for field in _fields(schema) if field.has_default}


def _fields(schema: Mapping[str, Any]) -> list[FormField]:
    required = _list(schema.get("required"))
    return [
        FormField(name, _mapping(field), name in required)
        for name, field in _mapping(schema.get("properties")).items()
    ]


def _mapping(value: object) -> Mapping[str, Any]:
    """A stranger's schema may hold anything anywhere."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _truth(said: str) -> bool:
    if said.lower() in _YES:
        return True
    if said.lower() in _NO:
        return False
    raise ValueError("Say yes or no.")


def _chosen(said: str, choices: Mapping[str, FormValue]) -> FormValue:
    """By how it is shown or by the value itself, in either case."""
    for name, value in choices.items():
        if said.lower() in (name.lower(), str(value).lower()):
            return value
    raise ValueError(f"{label(said)!r} is none of these: {'; '.join([*choices][:_MOST_SHOWN])}.")
