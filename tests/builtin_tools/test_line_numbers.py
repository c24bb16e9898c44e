import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.line_numbers import number_lines, without_numbers

LINE = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=50)


@given(st.lists(LINE, min_size=1), st.integers(1, 5000), st.booleans())
def test_numbers_come_off_as_they_went_on(lines: list[str], first: int, final: bool) -> None:
    text = number_lines(lines, first, width=len(str(first + len(lines))))
    ending = "\n" if final else ""
    assert without_numbers(text + ending) == "\n".join(lines) + ending


@pytest.mark.parametrize("text", ["", "a", "1 | a\nb", "1 | a\n1 | b", "10 | a\n20 | b", "1: a"])
def test_text_without_a_number_on_every_line_is_left_alone(text: str) -> None:
    assert without_numbers(text) is None
