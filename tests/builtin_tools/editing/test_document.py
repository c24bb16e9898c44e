import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.editing.document import (
    Document,
    LineCounts,
    Splice,
    count_lines,
    lines_of,
)

TEXT = st.text(st.sampled_from("ab \t\r\n\x0b\x0c\x1c\x85\u2028\u00e9"))


def separate(text: str) -> list[str]:
    """Lines with their ends."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


@given(TEXT)
def test_lines_end_with_lf_cr_lf_or_cr_and_with_nothing_else(text: str) -> None:
    assert Document(text).lines == [line.rstrip("\r\n") for line in separate(text)]
    assert Document(text).with_changes([]) == text


@given(TEXT, st.data())
def test_lines_outside_a_change_are_the_same(text: str, data: st.DataObject) -> None:
    document = Document(text)
    before = separate(text)
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    new = data.draw(st.lists(st.sampled_from(["x", "", "y z"]), max_size=3))
    after = document.with_changes([Splice(start, end, tuple(new))])
    assert Document(after).lines == [*document.lines[:start], *new, *document.lines[end:]]
    if start and start < len(before):
        kept = "".join(before[:start])
        assert after.startswith(kept) or "\r" in kept  # a CR may get the LF that keeps it apart
    if end < len(before):
        assert after.endswith("".join(before[end:]))


@pytest.mark.parametrize(
    ("text", "splices", "after"),
    [
        ("a\nb", [Splice(2, 2, ("c",))], "a\nb\nc"),
        ("a\nb", [Splice(1, 2, ("c", "d"))], "a\nc\nd"),
        ("a\nb", [Splice(1, 2, (1, "d"))], "a\nb\nd"),
        ("a\nb", [Splice(1, 2, ())], "a\n"),
        ("a\nb\n", [Splice(1, 2, ("c",))], "a\nc\n"),
        ("", [Splice(0, 0, ("a", "b"))], "a\nb\n"),
        ("a\r\nb\nc\r\n", [Splice(1, 2, ("x",))], "a\r\nx\r\nc\r\n"),
        ("a\rb\nc\n", [Splice(1, 1, ("",))], "a\r\n\nb\nc\n"),
        ("a\nb\nc\n", [Splice(2, 2, ("y",)), Splice(0, 1, ("x",)), Splice(2, 3, ())], "x\nb\ny\n"),
    ],
)
def test_changes(text: str, splices: list[Splice], after: str) -> None:
    assert Document(text).with_changes(splices) == after


def test_a_new_last_line_may_be_given_an_end() -> None:
    assert Document("a\nb").with_changes([Splice(1, 2, ("c",))], close=True) == "a\nc\n"
    assert Document("a\nb").with_changes([Splice(0, 1, ("c",))], close=True) == "c\nb"


def test_lines_are_counted() -> None:
    splices = [Splice(0, 2, (0, "x", "y")), Splice(5, 6, ())]
    assert count_lines(splices) == LineCounts(added=2, removed=2)
    assert str(LineCounts(1, 0)) == "1 line added, 0 removed"


def test_a_last_line_needs_no_end() -> None:
    assert lines_of("a\r\n\nb") == lines_of("a\n\r\nb\n") == ["a", "", "b"]
    assert lines_of("") == []
