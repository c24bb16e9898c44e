"""Calls in the text of a reply, wherever it is split."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roo_code.messages import ToolDefinition
from roo_code.providers.text_tool_calls import Piece
from roo_code.providers.text_tool_parser import TextToolParser
from tests.providers.fuzzing import share

TEXT = {"type": "string"}


def tool(name: str, **properties: Any) -> ToolDefinition:
    return ToolDefinition(name=name, description="", input_schema={"properties": properties})


TOOLS = (
    tool("read_file", path=TEXT, limit={"type": "integer"}),
    tool("write_to_file", path=TEXT, content=TEXT),
    tool(
        "plan",
        steps={"type": "array"},
        now={"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        note={"anyOf": [{"type": "string"}, {"type": "null"}]},
        kind={"enum": ["a", "b"]},
        odd={"$ref": "#/$defs/Odd"},
    ),
    ToolDefinition(name="stop", description="", input_schema={}),
)
Found = list[str | tuple[str, Any]]


def pieces_of(*parts: str) -> list[Piece]:
    parser = TextToolParser(TOOLS)
    found = [piece for part in parts for piece in parser.feed(part)]
    return [*found, *parser.finish()]


def joined(pieces: list[Piece]) -> Found:
    """Texts, and calls with their input; one that is not whole is told by its JSON."""
    found: Found = []
    for kind, text in pieces:
        if kind == "text" and found and isinstance(found[-1], str):
            found[-1] += text
        elif kind == "text":
            found.append(text)
        elif kind == "begin":
            found.append((text, ""))
        elif kind == "json":
            name, so_far = found[-1]
            found[-1] = (name, so_far + text)
    return [item if isinstance(item, str) else (item[0], _loaded(item[1])) for item in found]


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def read(text: str) -> Found:
    return joined(pieces_of(text))


WRITE = "<write_to_file>\n<path>a.html</path>\n<content>\n{}\n</content>\n</write_to_file>"
CASES: list[tuple[str, Found]] = [
    ("Just text, 1 < 2 and <b>bold</b>.", ["Just text, 1 < 2 and <b>bold</b>."]),
    (
        "I look.\n<read_file>\n<path>src/a.py</path>\n<limit>5</limit>\n</read_file> Done.",
        ["I look.\n", ("read_file", {"path": "src/a.py", "limit": 5}), " Done."],
    ),
    ("<read_file><path>a</path></read_file>", [("read_file", {"path": "a"})]),
    (
        "<read_file><path>a</path></read_file>\n<stop></stop><stop>\n</stop>",
        [("read_file", {"path": "a"}), "\n", ("stop", {}), ("stop", {})],
    ),
    # What stands in a value is the value's, tags and all.
    (
        WRITE.format("<a href='x'>1 < 2 && 3 > 2</a>\n<path>p</path>"),
        [
            (
                "write_to_file",
                {"path": "a.html", "content": "<a href='x'>1 < 2 && 3 > 2</a>\n<path>p</path>"},
            )
        ],
    ),
    (
        WRITE.format("<content>x</content>\ny </write_to_file> z </"),
        [
            (
                "write_to_file",
                {
                    "path": "a.html",
                    "content": "<content>x</content>\ny </write_to_file> z </",
                },
            )
        ],
    ),
    ("<write_to_file><path>a</path><content>\n\n  x\n\n</content></write_to_file>",
     [("write_to_file", {"path": "a", "content": "\n  x\n"})]),
    # A parameter that the tool does not have is for the tool to refuse.
    (
        "<read_file>\n<path>a</path>\n<secret>1</secret>\n</read_file>",
        [("read_file", {"path": "a", "secret": "1"})],
    ),
    (
        "<read_file>Now: <path>a</path> and <limit>x</limit> ok</read_file>",
        ["<read_file>Now: <path>a</path> and <limit>x</limit> ok</read_file>"],
    ),
    (
        "<plan><steps>[1, {\"a\": \"<b>\"}]</steps><now>True</now><note>null</note>"
        "<kind>a</kind><odd>{\"x\": 1}</odd></plan>",
        [("plan", {"steps": [1, {"a": "<b>"}], "now": True, "note": "null", "kind": "a",
                   "odd": {"x": 1}})],
    ),
    ("<plan><steps>one</steps><now>null</now><odd>two</odd></plan>",
     [("plan", {"steps": "one", "now": None, "odd": "two"})]),
    # As other models write calls.
    ('<read_file>{"path": "</read_file>"}</read_file>', [("read_file", {"path": "</read_file>"})]),
    (
        'So:\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        ["So:\n", ("read_file", {"path": "a"})],
    ),
    (
        'So:\n```json\n{"tool": "read_file", "parameters": {"path": "a"}}\n```\nDone.',
        ["So:\n", ("read_file", {"path": "a"}), "\nDone."],
    ),
    (
        '```\n{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}\n```',
        [("read_file", {"path": "a"})],
    ),
    ("```xml\n<stop></stop>\n```", ["```xml\n", ("stop", {}), "\n```"]),
    # What only looks like a call.
    ('```json\n{"name": "x"}\n```\n```py\n{}\n```',
     ['```json\n{"name": "x"}\n```\n```py\n{}\n```']),
    ('```json\n{"name": "read_file", "arguments": 1}\n```',
     ['```json\n{"name": "read_file", "arguments": 1}\n```']),
    ("```json\n{\"name\": \"stop\"}", ["```json\n{\"name\": \"stop\"}"]),
    ("Use <read_file> or `<stop></stop>`.", ["Use <read_file> or `<stop></stop>`."]),
    ("<tool_call><read_file></tool_call>", ["<tool_call><read_file></tool_call>"]),
    ('<tool_call>{"name": "x"}</tool_call>', ['<tool_call>{"name": "x"}</tool_call>']),
    ('<tool_call>{"name": "stop"}', ['<tool_call>{"name": "stop"}']),
    ("<read_file>", ["<read_file>"]),
    ("<read_fil", ["<read_fil"]),
    ("``", ["``"]),
    # A call that has no end has no whole input.
    ("<read_file><path>a</path><limit>", [("read_file", '{"path": "a"')]),
    ("<read_file><path>a</path>", [("read_file", "{")]),
    ("<read_file><path>a</pa", [("read_file", "{")]),
    ('<read_file>{"path": "a"}', [("read_file", "{")]),
    ("<stop></st", ["<stop></st"]),
    # Results are not the model's to write.
    (
        "[stop] Result: none yet.\n<stop></stop>\n\n[stop] Result:\nAll is well.\n<stop></stop>",
        ["[stop] Result: none yet.\n", ("stop", {}), "\n\n"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), CASES)
def test_calls_are_found_and_all_else_is_text(text: str, found: Found) -> None:
    assert read(text) == found


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_split_anywhere_it_is_the_same(text: str, size: int) -> None:
    parts = [text[n : n + size] for n in range(0, len(text), size)]
    assert joined(pieces_of(*parts)) == read(text)


SCRAPS = st.sampled_from(
    [
        "<read_file>", "</read_file>", "<path>", "</path>", "<content>", "</content>", "\n", " ",
        "<write_to_file>", "</write_to_file>", "<stop>", "</stop>", "`", "```", "```json\n", "{",
        '{"name": "stop"}', "<tool_call>", "</tool_call>", "<", ">", "</", "x", "ü",
        "[stop] Result:",
    ]
)  # fmt: skip


@share(of=10)
@given(scraps=st.lists(SCRAPS, max_size=25), data=st.data())
@example(scraps=["<read_file>", "<path>", "</path>", "x", "</read_file>"], data=None)
def test_any_text_split_anywhere_is_read_alike_and_none_of_it_is_lost(
    scraps: list[str], data: st.DataObject | None
) -> None:
    text = "".join(scraps)
    whole = read(text)
    cuts = range(len(text)) if data is None else data.draw(st.sets(st.integers(0, len(text))))
    edges = [0, *sorted(cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(edges)]
    assert joined(pieces_of(*parts)) == whole
    if all(isinstance(item, str) for item in whole):
        assert "".join(map(str, whole)) == text


def test_text_is_shown_as_soon_as_it_is_certain() -> None:
    parser = TextToolParser(TOOLS)
    assert list(parser.feed("Hello <")) == [Piece("text", "Hello ")]
    assert list(parser.feed("b> <read_file>\n")) == [Piece("text", "<b> ")]
    assert list(parser.feed("<path>a</path>")) == [Piece("begin", "read_file"), Piece("json", "{")]
    assert list(parser.feed("\n<limit>")) == [Piece("json", '"path": "a"')]
    assert parser.calls == 1


def test_without_tools_all_is_text() -> None:
    parser = TextToolParser(())
    text = "<stop></stop> ```json\n{}\n```"
    found = [*parser.feed(text), *parser.finish()]
    assert "".join(piece.text for piece in found) == text
    assert {piece.kind for piece in found} == {"text"}
