"""The inside of a call that a model wrote as text: parameters in tags, or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from roo_code.json_text import from_json, to_json

WRAPPER = "tool_call"
"""The tag that some models put around a call in JSON."""
TAG = re.compile(r"<([A-Za-z_][\w.-]*)>")
TAG_BEGINS = re.compile(r"<(/?[A-Za-z_][\w.-]*|/?)")
_EDGES = re.compile(r"\A\r?\n|\r?\n\Z")
_UNKNOWN = re.compile(r"\s*(?:<([A-Za-z_][\w.-]*)>[^<]*</\1>\s*)+")
"""Parameters that the tool does not have, which is for the tool to say."""


class Piece(NamedTuple):
    kind: Literal["text", "begin", "json", "end"]
    """A call is `begin` with the name of the tool, its input as `json`, and `end`."""
    text: str = ""


class _Read(NamedTuple):
    pieces: list[Piece]
    rest: str
    state: Literal["goes_on", "waits", "done"] = "goes_on"


class TagCall:
    """The inside of a call with a tag for each parameter."""

    def __init__(self, name: str, properties: Mapping[str, Any]) -> None:
        self._end = f"</{name}>"
        self._properties = properties
        self._parameter: str | None = None
        self._value: list[str] = []
        self._closed_at: int | None = None
        """How much of the value stood before its last end tag that nothing fit behind."""
        self._is_first = True

    def read(self, text: str) -> _Read:
        return self._between(text) if self._parameter is None else self._inside(text)

    def unfinished(self, rest: str) -> Piece:
        return Piece("end")

    def _between(self, text: str) -> _Read:
        text = text.lstrip()
        if text.startswith(self._end):
            return _Read([Piece("json", "}"), Piece("end")], text[len(self._end) :], "done")
        if tag := TAG.match(text):
            self._parameter, self._value, self._closed_at = tag[1], [], None
            return _Read([], text[tag.end() :])
        if not text or TAG_BEGINS.fullmatch(text):
            return _Read([], text, "waits")
        place = text.find("<", 1)
        return _Read([], text[place:] if place > 0 else "")  # words between parameters

    def _inside(self, text: str) -> _Read:
        close = f"</{self._parameter}>"
        found = _first(text, close, self._end)
        if found is None:
            kept = len(text) - _overlap(text, close, self._end)
            self._value.append(text[:kept])
            return _Read([], text[kept:], "waits")
        place, tag = found
        self._value.append(text[:place])
        text = text[place:]
        if tag == close:
            return self._at_close(text, close)
        if self._closed_at is not None:
            value = "".join(self._value)
            left = value[self._closed_at + len(close) :]
            if _UNKNOWN.fullmatch(left):
                return _Read([self._given(value[: self._closed_at])], left + text)
        self._value.append(tag)
        return _Read([], text[len(tag) :])

    def _at_close(self, text: str, close: str) -> _Read:
        rest = text[len(close) :].lstrip()
        tag = TAG.match(rest)
        if rest.startswith(self._end) or (tag and tag[1] in self._properties):
            return _Read([self._given("".join(self._value))], rest)
        if not rest or (tag is None and TAG_BEGINS.fullmatch(rest)):
            return _Read([], text, "waits")
        joined = "".join(self._value)
        self._closed_at = len(joined)
        self._value = [joined, close]
        return _Read([], text[len(close) :])

    def _given(self, text: str) -> Piece:
        name, self._parameter = cast("str", self._parameter), None
        key, value = to_json(name).decode(), to_json(_value(text, self._properties.get(name)))
        separator = "" if self._is_first else ", "
        self._is_first = False
        return Piece("json", f"{separator}{key}: {value.decode()}")


class JsonCall:
    """A JSON object between two tags; it ends with the end tag behind which it is whole."""

    def __init__(self, name: str, known: Mapping[str, Any]) -> None:
        self._name = name
        self._end = f"</{name}>"
        self._known = known
        self._body: list[str] = []

    def read(self, text: str) -> _Read:
        place = text.find(self._end)
        if place < 0:
            kept = len(text) - _overlap(text, self._end)
            self._body.append(text[:kept])
            return _Read([], text[kept:], "waits")
        rest = text[place + len(self._end) :]
        self._body.append(text[:place])
        body = "".join(self._body)
        parsed = _object(body)
        if parsed is None:
            self._body.append(self._end)
            return _Read([], rest)
        if self._name != WRAPPER:
            return _Read([Piece("json", _inner(parsed)), Piece("end")], rest, "done")
        if call := named_call(body, self._known):
            pieces = [Piece("begin", call[0]), Piece("json", call[1]), Piece("end")]
            return _Read(pieces, rest, "done")
        return _Read([Piece("text", f"<{WRAPPER}>{body}{self._end}")], rest, "done")

    def unfinished(self, rest: str) -> Piece:
        if self._name == WRAPPER:  # whatever it was to be, it has not begun
            return Piece("text", f"<{WRAPPER}>{''.join(self._body)}{rest}")
        return Piece("end")


Call: TypeAlias = TagCall | JsonCall


def _value(text: str, schema: Any) -> Any:
    """A value of the type that the tool wants; a line break next to its tags is no part of it."""
    text = _EDGES.sub("", text)
    kinds = _kinds(schema)
    if "string" in kinds:
        return text
    bare = text.strip()
    if not kinds and not bare.startswith(("{", "[")):
        return text
    lowered = bare.lower()
    if lowered in ("true", "false", "null", "none"):
        return {"true": True, "false": False}.get(lowered)
    try:
        return from_json(bare)
    except ValueError:
        return text  # the tool says what is wrong with it


def _kinds(schema: Any) -> set[str]:
    if not isinstance(schema, Mapping):
        return set()
    fields = cast("Mapping[str, Any]", schema)
    kind = fields.get("type", "string" if "enum" in fields else None)
    if kind is not None:
        return {kind} if isinstance(kind, str) else {*kind}
    choices = fields.get("anyOf") or fields.get("oneOf") or ()
    return {kind for choice in choices for kind in _kinds(choice)}


def named_call(text: str, known: Mapping[str, Any]) -> tuple[str, str] | None:
    """The tool that a JSON object calls, and the input as JSON."""
    fields = _object(text)
    if fields is None:
        return None
    names = (fields[key] for key in ("name", "tool", "tool_name") if key in fields)
    name = next(names, None)
    if not isinstance(name, str) or name not in known:
        return None
    keys = ("arguments", "parameters", "input", "args")
    given: Any = next((fields[key] for key in keys if key in fields), None) or {}
    given = _object(given) if isinstance(given, str) else given
    return (name, to_json(given).decode()) if isinstance(given, dict) else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        parsed = from_json(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None


def _inner(fields: dict[str, Any]) -> str:
    """The object without its first brace, which went ahead."""
    return to_json(fields).decode()[1:]


def _first(text: str, *tags: str) -> tuple[int, str] | None:
    found = [(place, tag) for tag in tags if (place := text.find(tag)) >= 0]
    return min(found, default=None)


def _overlap(text: str, *tags: str) -> int:
    """How much of the end of the text may be the beginning of one of the tags."""
    longest = min(len(text), max(map(len, tags)) - 1)
    lengths = range(longest, 0, -1)
    return next((n for n in lengths if any(tag.startswith(text[-n:]) for tag in tags)), 0)
