import pytest

from roo_code.builtin_tools.editing.reindenting import Reindenter


@pytest.mark.parametrize(
    ("written", "found", "line", "after"),
    [
        (["if x:", "    y"], ["    if x:", "        y"], "    z", "        z"),
        (["if x:", "    y"], ["    if x:", "        y"], "        z", "            z"),
        (["    x"], ["\tx"], "        y", "\t\ty"),
        (["    x"], ["\tx"], "          y", "\t\t  y"),
        (["        x"], ["\t\tx"], "    y", "\ty"),
        (["        x"], ["\t\tx"], "y", "y"),
        (["  x"], ["      x"], "y", "    y"),
        (["x"], ["x"], "  y  ", "  y  "),
        (["\tx"], ["    x"], "\t\ty", "    \ty"),
        (["", "  x"], ["", "    x"], "  y", "    y"),
        (["   x"], ["\t\tx"], "   y", "\t\ty"),
        (["    x"], ["\tx"], "", ""),
        (["    x"], ["\tx"], "   ", "   "),
        (["\tx"], ["x"], "  y", "  y"),
    ],
)
def test_new_lines_are_indented_as_the_file_is(
    written: list[str], found: list[str], line: str, after: str
) -> None:
    assert Reindenter(written, found)(line) == after
