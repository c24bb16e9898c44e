"""Definitions in source code, by tree-sitter. Loaded only where files are parsed."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from semble_grammars import get_language
from tree_sitter import Node, Parser, Query, QueryCursor

from roo_code.builtin_tools.definition_languages import query_name

MOST_DEFINITIONS = 4000
_LONGEST_LINE = 200

_WRAPPERS = frozenset(
    {
        *("ambient_declaration", "decorated_definition", "export_statement"),
        *("method_signature", "template_declaration"),
    }
)
_HEADERS = frozenset({"annotation", "attribute", "attribute_item", "decorator"})
_BODIES = frozenset({"function_body"})
"""Of languages whose grammars have a function's body beside its signature."""


class Definition(NamedTuple):
    first: int
    """Counted from 1, with what precedes the definition and belongs to it, such as decorators."""
    last: int
    text: str
    """The line that names it."""


def find_definitions(language: str, source: bytes) -> list[Definition]:
    """What the file defines, in order. A file with errors gives what can be made out."""
    parser, query = _tools(language)
    tree = parser.parse(source)
    lines = source.split(b"\n")
    found: dict[Definition, None] = {}
    for _, captures in QueryCursor(query).matches(tree.root_node):
        node, name = captures["definition"][0], captures["name"][0]
        first, last = _span(node)
        text = _text(lines, node.start_point.row, name.start_point.row)
        found[Definition(first, last, text)] = None
    ordered = sorted(found, key=lambda definition: (definition.first, -definition.last))
    return ordered[:MOST_DEFINITIONS]


@cache
def _tools(language: str) -> tuple[Parser, Query]:
    grammar = get_language(language)
    query = files("roo_code.builtin_tools.definitions_queries") / f"{query_name(language)}.scm"
    return Parser(grammar), Query(grammar, query.read_text(encoding="utf-8"))


def _span(node: Node) -> tuple[int, int]:
    while (parent := node.parent) is not None and parent.type in _WRAPPERS:
        node = parent
    first = last = node
    while (before := first.prev_named_sibling) is not None and before.type in _HEADERS:
        first = before
    if (after := node.next_named_sibling) is not None and after.type in _BODIES:
        last = after
    end = last.end_point
    return first.start_point.row + 1, max(end.row + (end.column > 0), node.start_point.row + 1)


def _text(lines: list[bytes], first: int, named: int) -> str:
    """The line with the name; where only a bracket precedes it, the line that opened it too."""
    text = lines[named].decode("utf-8", "replace").rstrip()
    if text.lstrip().startswith("}") and first < named:
        opening = lines[first].decode("utf-8", "replace").rstrip()
        text = f"{opening} ... {text.lstrip()}"
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 3] + "..."
