from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.editing.plain_text import PlainText, Span
from roo_code.workspace.text import with_newlines

TEXT = st.text(st.sampled_from("ab\r\n\u00e9"), max_size=30)
LF_TEXT = st.text(st.sampled_from("ab\n"), min_size=1, max_size=5)


@given(TEXT, st.data())
def test_a_piece_is_replaced_and_the_rest_keeps_its_line_ends(
    original: str, data: st.DataObject
) -> None:
    text = PlainText(original)
    start = data.draw(st.integers(0, len(text.text)))
    end = data.draw(st.integers(start, len(text.text)))
    new = data.draw(LF_TEXT)
    changed = text.replaced([Span(start, end)], new)
    assert with_newlines(changed, "\n") == text.text[:start] + new + text.text[end:]
    if changed.count("\r") == original.count("\r") == 0:
        assert changed == original[:start] + new + original[end:]


@given(TEXT, LF_TEXT)
def test_every_place_is_found_once(original: str, wanted: str) -> None:
    text = PlainText(original)
    spans = text.find(wanted)
    assert len(spans) == text.text.count(wanted)
    assert all(text.text[span.start : span.end] == wanted for span in spans)
    assert with_newlines(text.replaced(spans, "new"), "\n") == text.text.replace(wanted, "new")


def test_what_old_and_new_share_is_not_touched() -> None:
    text = PlainText("a\rb\nc\r\nd\n")
    assert text.replaced(text.find("a\nb\nc\nd"), "a\nb\nX\nd") == "a\rb\nX\r\nd\n"


def test_new_lines_end_as_most_do() -> None:
    text = PlainText("a\r\nb\r\n")
    assert text.replaced(text.find("b"), "x\ny") == "a\r\nx\r\ny\r\n"


def test_lines_are_numbered_from_one() -> None:
    text = PlainText("a\r\nb\r\nb")
    assert [text.line_of(span) for span in text.find("b")] == [2, 3]
