from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from roo_code.messages import TextContent, ToolUseContent
from roo_code.providers.recording import TimedChunk
from roo_code.providers.text_edits import (
    Edit,
    edited,
    edited_chunks,
    edited_value,
    hidden_keys,
)
from roo_code.redaction import Redactor
from roo_code.stream import BlockDelta, BlockStart, StreamChunk

SECRET = "planted.value-0815"


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in pairwise(places)]


@given(
    st.lists(st.text(max_size=9), min_size=1, max_size=5), st.lists(st.integers(0, 200), max_size=9)
)
def test_a_text_in_pieces_is_edited_as_if_it_were_whole(around: list[str], cuts: list[int]) -> None:
    text = SECRET.join(around)
    scrub = Redactor([SECRET])
    chunks = [TimedChunk(n, BlockDelta(0, "text", t)) for n, t in enumerate(pieces(text, cuts))]
    changed = edited_chunks(chunks, hidden_keys(scrub))
    assert "".join(c.chunk.text for c in changed if isinstance(c.chunk, BlockDelta)) == scrub(text)
    assert [c.milliseconds for c in changed] == [c.milliseconds for c in chunks]


def test_each_block_is_a_text_of_its_own() -> None:
    chunks: list[StreamChunk] = [
        BlockDelta(0, "text", "plant"),
        BlockDelta(1, "json", '{"a":"planted.'),
        BlockDelta(0, "text", "ed.value"),
        BlockDelta(1, "json", 'value-0815"}'),
        BlockDelta(0, "reasoning", "-0815"),
    ]
    changed = edited_chunks([TimedChunk(0, c) for c in chunks], hidden_keys(Redactor([SECRET])))
    texts = [c.chunk.text for c in changed if isinstance(c.chunk, BlockDelta)]
    assert texts == ["plant", '{"a":"***', "ed.value", '"}', "-0815"]


def test_what_comes_whole_is_edited_too() -> None:
    call = ToolUseContent(id="c", name="n", input={"a": [SECRET, 1, {SECRET: None}]})
    chunks: list[StreamChunk] = [BlockStart(0, TextContent(text=SECRET)), BlockStart(1, call)]
    changed = edited_chunks([TimedChunk(0, c) for c in chunks], hidden_keys(Redactor([SECRET])))
    assert changed[0].chunk == BlockStart(0, TextContent(text="***"))
    assert changed[1].chunk == BlockStart(
        1, ToolUseContent(id="c", name="n", input={"a": ["***", 1, {"***": None}]})
    )


def test_edits_at_the_ends_and_side_by_side() -> None:
    assert edited("abcd", [Edit(0, 1, "XX"), Edit(1, 2, ""), Edit(3, 4, "Y")]) == "XXcY"
    assert edited("abcd", []) == "abcd"
    assert edited_value({"a": ("x", 1.5, True)}, str.upper) == {"A": ["X", 1.5, True]}
