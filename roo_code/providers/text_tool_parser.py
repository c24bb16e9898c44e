"""Finds tool calls in the text of a reply, as it arrives.

A call is `<tool><parameter>value</parameter></tool>`, with the values as they are. So the end of
a value is only where another parameter or the end of the call follows: file content may hold
anything else. As models write it unasked, `<tool>{…}</tool>`, `<tool_call>{…}</tool_call>` and
a fenced block with a JSON object that names a tool are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from roo_code.messages import ToolDefinition
from roo_code.providers.text_tool_calls import (
    TAG,
    TAG_BEGINS,
    WRAPPER,
    Call,
    JsonCall,
    Piece,
    TagCall,
    named_call,
)

_FENCE = re.compile(r"```([\w-]*)[ \t]*\n(\s*\{)?")
_FENCE_BEGINS = re.compile(r"```[\w-]*[ \t]*(\n\s*)?")
_CLOSING_FENCE = re.compile(r"\n[ \t]*```")
_JSON_LANGUAGES = ("", "json", "tool_call", "tool_use")


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
        self._call: Call | None = None
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
        may_follow = not rest or TAG_BEGINS.fullmatch(rest)
        is_call = rest.startswith("{") or (
            name != WRAPPER and (rest.startswith(f"</{name}>") or TAG.match(rest))
        )
        if self._before == "`" or not (is_call or may_follow) or (is_end and not is_call):
            yield from self._text(length)
        elif is_call:
            self._buffer = self._buffer[length:]
            yield from self._begin(name, is_json=rest.startswith("{"))

    def _begin(self, name: str, *, is_json: bool) -> Iterator[Piece]:
        properties = self._properties.get(name, {})
        self._call = JsonCall(name, self._properties) if is_json else TagCall(name, properties)
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
        if call := named_call(body, self._properties):
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


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _beginnings(names: Iterable[str]) -> frozenset[str]:
    """Whatever may be the beginning of a tag, of a fence or of a result."""
    whole = ["```"]
    for name in (*names, WRAPPER):
        whole += [f"<{name}>", f"[{name}] Result:", f"[{name}] Error:"]
    return frozenset(text[:length] for text in whole for length in range(1, len(text)))
