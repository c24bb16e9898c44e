"""JSON with comments and trailing commas, parsed with the place of everything in it.

Slower than `json`, so used only to read what that refuses, to tell lines and to edit a file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class JsonError(ValueError):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Node:
    value: Any
    start: int
    end: int
    members: list[Member] = field(default_factory=lambda: list[Member]())
    items: list[Node] = field(default_factory=lambda: list[Node]())


@dataclass
class Member:
    key: str
    start: int
    node: Node
    comma: int | None = None
    """Where the comma behind it stands."""


def parse(text: str) -> Node:
    """The whole text as one value, or a JsonError that tells the line."""
    try:
        return _Parser(text).document()
    except RecursionError:
        raise JsonError("it is nested too deeply", 1) from None


def line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at: int = 0

    def document(self) -> Node:
        self._skip()
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            raise self._error("there is something behind the end")
        return node

    def _value(self) -> Node:
        start = self._at
        match self._text[start : start + 1]:
            case "{":
                return self._object()
            case "[":
                return self._array()
            case '"':
                return Node(self._string(), start, self._at)
            case _:
                return self._word_or_number()

    def _object(self) -> Node:
        node = Node({}, self._at, self._at)
        self._at += 1
        while not self._closes("}"):
            start = self._at
            if not self._text.startswith('"', start):
                raise self._error('a name in "double quotes" is missing')
            key = self._string()
            self._skip()
            self._expect(":")
            self._skip()
            member = Member(key, start, self._value())
            node.value[key] = member.node.value
            node.members.append(member)
            member.comma = self._comma("}")
        node.end = self._at
        return node

    def _array(self) -> Node:
        node = Node([], self._at, self._at)
        self._at += 1
        while not self._closes("]"):
            item = self._value()
            node.value.append(item.value)
            node.items.append(item)
            self._comma("]")
        node.end = self._at
        return node

    def _closes(self, bracket: str) -> bool:
        self._skip()
        if not self._text.startswith(bracket, self._at):
            return False
        self._at += 1
        return True

    def _comma(self, bracket: str) -> int | None:
        self._skip()
        place = self._at
        if self._text.startswith(",", place):
            self._at += 1
            self._skip()
            return place
        if not self._text.startswith(bracket, place):
            raise self._error(f"a comma or {bracket} is missing")
        return None

    def _expect(self, sign: str) -> None:
        if not self._text.startswith(sign, self._at):
            raise self._error(f"a {sign} is missing")
        self._at += 1

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        try:
            value = json.loads(found[0]) if found else None
        except ValueError:
            value = None
        if found is None or value is None:
            raise self._error("the text in quotes has no end or a wrong character")
        self._at = found.end()
        return value

    def _word_or_number(self) -> Node:
        start = self._at
        for word, value in _WORDS.items():
            if self._text.startswith(word, start):
                self._at += len(word)
                return Node(value, start, self._at)
        number = _NUMBER.match(self._text, start)
        if number is None:
            ends = start >= len(self._text)
            raise self._error("it ends too early" if ends else "this is no value")
        self._at = number.end()
        is_whole = number[1] is None and number[2] is None
        return Node((int if is_whole else float)(number[0]), start, self._at)

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None  # it may match nothing, but it matches
        self._at = found.end()
        if self._text.startswith("/*", self._at):
            raise self._error("a comment has no end")

    def _error(self, message: str) -> JsonError:
        return JsonError(message, line_at(self._text, self._at))
