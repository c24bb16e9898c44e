"""Finds tool calls in the text of a reply, as it arrives.

A call is `<tool><parameter>value</parameter></tool>`, with the values as they are. So the end of
a value is only where another parameter or the end of the call follows: file content may hold
anything else. As models write it unasked, `<tool>{…}</tool>`, `<tool_call>{…}</tool_call>` and
a fenced block with a JSON object that names a tool are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from roo_code.json_text import from_json, to_json
from roo_code.messages import ToolDefinition

WRAPPER = "tool_call"
_TAG = re.compile(r"<([A-Za-z_][\w.-]*)>")
_TAG_BEGINS = re.compile(r"<(/?[A-Za-z_][\w.-]*|/?)")
_FENCE = re.compile(r"```([\w-]*)[ \t]*\n(\s*\{)?")
_FENCE_BEGINS = re.compile(r"```[\w-]*[ \t]*(\n\s*)?")
_CLOSING_FENCE = re.compile(r"\n[ \t]*```")
_EDGES = re.compile(r"\A\r?\n|\r?\n\Z")
_UNKNOWN = re.compile(r"\s*(?:<([A-Za-z_][\w.-]*)>[^<]*</\1>\s*)+")
"""Parameters that the tool does not have, which is for the tool to say."""
_JSON_LANGUAGES = ("", "json", "tool_call", "tool_use")


class Piece(NamedTuple):
    kind: Literal["text", "begin", "json", "end"]
    """A call is `begin` with the name of the tool, its input as `json`, and `end`."""
    text: str = ""


class TextToolParser:
    def __init__(self, tools: Sequence[ToolDefinition]) -> None:
        self._properties = {tool.name: _properties(tool.input_schema) for tool in tools}
        names = "|".join(map(re.escape, sorted(self._properties, key=len, reverse=True)))
        results = rf"|^\[(?:{names})\] (?:Result|Error):" if names else ""
        tags = rf"<(?P<tag>{names}|{WRAPPER})>|" if names else ""
        self._opener = re.compile(f"{tags}```{results}", re.MULTILINE)
        self._beginnings = _beginnings(self._properties)
        self._longest = max(map(len, self._beginnings), default=0)
        self._buffer = ""
        self._before = "\n"
        """The last character of the text so far."""
        self._call: _Call | None = None
        self._is_deaf = False
        self._searched = 0
        """So far there is no end of the fence in the buffer."""
        self.calls = 0

    def feed(self, text: str) -> Iterator[Piece]:
        """Take what arrived; yield all that is certain now."""
        if not self._is_deaf:
            self._buffer += text
            yield from self._advance(is_end=False)

    def finish(self) -> Iterator[Piece]:
        """The rest. A call that has no end yet is left without one, so that its JSON is none."""
        yield from self._advance(is_end=True)
        if self._call is None:
            yield from self._text(len(self._buffer))
        else:
            yield self._call.unfinished(self._buffer)
        self._buffer, self._call = "", None

    def _advance(self, *, is_end: bool) -> Iterator[Piece]:
        goes_on = True
        while goes_on:
            if self._call is not None:
                pieces, self._buffer, state = self._call.read(self._buffer)
                self.calls += sum(piece.kind == "begin" for piece in pieces)
                yield from pieces
                goes_on = state != "waits"
                if state == "done":
                    self._call, self._before = None, ">"
            else:
                size = len(self._buffer)
                yield from self._in_text(is_end=is_end)
                goes_on = len(self._buffer) < size

    def _in_text(self, *, is_end: bool) -> Iterator[Piece]:
        found = self._opener.search(self._buffer)
        if found is None:
            yield from self._text(self._undecided_from())
            return
        yield from self._text(found.start())
        if tag := found.groupdict().get("tag"):
            yield from self._at_tag(tag, is_end=is_end)
        elif found[0] == "```":
            yield from self._at_fence(is_end=is_end)
        elif self.calls and self._before == "\n":
            # The model goes on with results of its own making, and all that follows is of them.
            self._is_deaf, self._buffer = True, ""
        else:
            yield from self._text(len(found[0]))

    def _at_tag(self, name: str, *, is_end: bool) -> Iterator[Piece]:
        """A tag is a call's only if its beginning looks like one, and not named in passing."""
        length = len(name) + 2
        rest = self._buffer[length:].lstrip()
        may_follow = not rest or _TAG_BEGINS.fullmatch(rest)
        is_call = rest.startswith("{") or (
            name != WRAPPER and (rest.startswith(f"</{name}>") or _TAG.match(rest))
        )
        if self._before == "`" or not (is_call or may_follow) or (is_end and not is_call):
            yield from self._text(length)
        elif is_call:
            self._buffer = self._buffer[length:]
            yield from self._begin(name, is_json=rest.startswith("{"))

    def _begin(self, name: str, *, is_json: bool) -> Iterator[Piece]:
        properties = self._properties.get(name, {})
        self._call = _JsonCall(name, self._properties) if is_json else _TagCall(name, properties)
        if name != WRAPPER:
            self.calls += 1
            yield Piece("begin", name)
            yield Piece("json", "{")

    def _at_fence(self, *, is_end: bool) -> Iterator[Piece]:
        opening = _FENCE.match(self._buffer)
        if opening is None or opening[2] is None or opening[1] not in _JSON_LANGUAGES:
            may_open = _FENCE_BEGINS.fullmatch(self._buffer) and not is_end
            if not may_open:
                yield from self._text(3)
            return
        closing = _CLOSING_FENCE.search(self._buffer, max(opening.end(), self._searched))
        if closing is None:
            self._searched = self._buffer.rfind("\n")
            if is_end:
                yield from self._text(len(self._buffer))
            return
        self._searched = 0
        body = self._buffer[opening.end() - 1 : closing.start()]
        if call := _named_call(body, self._properties):
            self._buffer, self._before = self._buffer[closing.end() :], "`"
            self.calls += 1
            yield from (Piece("begin", call[0]), Piece("json", call[1]), Piece("end"))
        else:
            yield from self._text(closing.end())

    def _text(self, length: int) -> Iterator[Piece]:
        if length:
            text, self._buffer = self._buffer[:length], self._buffer[length:]
            self._before = text[-1]
            yield Piece("text", text)

    def _undecided_from(self) -> int:
        """Where the end of the buffer may be the beginning of something."""
        text = self._buffer
        for place in range(max(0, len(text) - self._longest), len(text)):
            if text[place] in "<`[" and text[place:] in self._beginnings:
                return place
        return len(text)


class _Read(NamedTuple):
    pieces: list[Piece]
    rest: str
    state: Literal["goes_on", "waits", "done"] = "goes_on"


class _TagCall:
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
        if tag := _TAG.match(text):
            self._parameter, self._value, self._closed_at = tag[1], [], None
            return _Read([], text[tag.end() :])
        if not text or _TAG_BEGINS.fullmatch(text):
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
        tag = _TAG.match(rest)
        if rest.startswith(self._end) or (tag and tag[1] in self._properties):
            return _Read([self._given("".join(self._value))], rest)
        if not rest or (tag is None and _TAG_BEGINS.fullmatch(rest)):
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


class _JsonCall:
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
        if call := _named_call(body, self._known):
            pieces = [Piece("begin", call[0]), Piece("json", call[1]), Piece("end")]
            return _Read(pieces, rest, "done")
        return _Read([Piece("text", f"<{WRAPPER}>{body}{self._end}")], rest, "done")

    def unfinished(self, rest: str) -> Piece:
        if self._name == WRAPPER:  # whatever it was to be, it has not begun
            return Piece("text", f"<{WRAPPER}>{''.join(self._body)}{rest}")
        return Piece("end")


_Call = _TagCall | _JsonCall


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _beginnings(names: Iterable[str]) -> frozenset[str]:
    """Whatever may be the beginning of a tag, of a fence or of a result."""
    whole = ["```"]
    for name in (*names, WRAPPER):
        whole += [f"<{name}>", f"[{name}] Result:", f"[{name}] Error:"]
    return frozenset(text[:length] for text in whole for length in range(1, len(text)))


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


def _named_call(text: str, known: Mapping[str, Any]) -> tuple[str, str] | None:
    """The tool that a JSON object calls, and the input as JSON."""
    fields = _object(text)
    if fields is None:
        return None
    name = next((fields[key] for key in ("name", "tool", "tool_name") if key in fields), None)
    if name not in known:
        return None
    keys = ("arguments", "parameters", "input", "args")
    given = next((fields[key] for key in keys if key in fields), {})
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
