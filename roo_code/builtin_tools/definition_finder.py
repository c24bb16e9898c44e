"""Definitions in source code, by tree-sitter. Loaded only where files are parsed.

A query marks each `definition` with its `name`, where the grammar needs it a `body` beside it, and
`header` for what stands in the lines above. Nodes are asked for nothing but their bytes: what
else they offer crashes in tree-sitter 0.26.0 sooner or later (tree-sitter/py-tree-sitter#472).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import NamedTuple

from semble_grammars import get_language  # pyright: ignore[reportMissingTypeStubs]
from tree_sitter import Node, Parser, Query, QueryCursor

from roo_code.builtin_tools.definition_languages import query_name

MOST_DEFINITIONS = 4000
_LONGEST_LINE = 200


class Definition(NamedTuple):
    first: int
    """Counted from 1, with what precedes the definition and belongs to it, such as decorators."""
    last: int
    text: str
    """The line that names it."""


class _Span(NamedTuple):
    first: int
    last: int

    def with_(self, *others: _Span) -> _Span:
        spans = (self, *others)
        return _Span(min(span.first for span in spans), max(span.last for span in spans))


class _Lines:
    """A source by its lines, counted from 1."""

    def __init__(self, source: bytes) -> None:
        self._lines = source.split(b"\n")
        self._ends = list(accumulate(len(line) + 1 for line in self._lines))

    def number(self, byte: int) -> int:
        return min(bisect_right(self._ends, byte) + 1, len(self._lines))

    def span(self, node: Node) -> _Span:
        start, end = node.start_byte, node.end_byte
        return _Span(self.number(start), self.number(max(start, end - 1)))

    def text(self, number: int) -> str:
        return self._lines[number - 1].decode("utf-8", "replace").rstrip()


def find_definitions(language: str, source: bytes) -> list[Definition]:
    """What the file defines, in order. A file with errors gives what can be made out."""
    parser, query = _tools(language)
    tree = parser.parse(source)
    lines = _Lines(source)
    spans: dict[int, _Span] = {}
    headers: dict[int, int] = {}
    for _, captures in QueryCursor(query).matches(tree.root_node):
        for header in captures.get("header", ()):
            first, last = lines.span(header)
            headers[last] = first
        if "definition" in captures:
            nodes = (*captures["definition"], *captures.get("body", ()))
            # One name is found as itself and again with what is around it: the whole counts.
            start = captures["name"][0].start_byte
            found = [*map(lines.span, nodes), *([spans[start]] if start in spans else [])]
            spans[start] = found[0].with_(*found)
    definitions = {
        _definition(lines, lines.number(start), span, headers) for start, span in spans.items()
    }
    ordered = sorted(definitions, key=lambda definition: (definition.first, -definition.last))
    return ordered[:MOST_DEFINITIONS]


@cache
def _tools(language: str) -> tuple[Parser, Query]:
    grammar = get_language(language)
    query = files("roo_code.builtin_tools.definitions_queries") / f"{query_name(language)}.scm"
    return Parser(grammar), Query(grammar, query.read_text(encoding="utf-8"))


def _definition(lines: _Lines, named: int, span: _Span, headers: dict[int, int]) -> Definition:
    first = span.first
    while (above := headers.get(first - 1)) is not None:
        first = above
    return Definition(first, span.last, _text(lines, span.first, named))


def _text(lines: _Lines, first: int, named: int) -> str:
    """The line with the name; where only a bracket precedes it, the line that opened it too."""
    text = lines.text(named)
    if text.lstrip().startswith("}") and first < named:
        text = f"{lines.text(first)} ... {text.lstrip()}"
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 3] + "..."
