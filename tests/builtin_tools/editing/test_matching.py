from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.editing import matching
from roo_code.builtin_tools.editing.likeness import (
    LONGEST_COMPARED,
    line_changes,
    plain,
    similarity,
)
from roo_code.builtin_tools.editing.matching import Haystack, Window

LINES = st.lists(st.sampled_from(["a", " a", "b", "b ", "", "  "]), max_size=12)


@given(LINES, LINES.filter(bool), st.booleans())
def test_the_strictest_way_to_compare_that_finds_anything_is_used(
    lines: list[str], needle: list[str], indexed: bool
) -> None:
    few, matching._FEW_WINDOWS = matching._FEW_WINDOWS, -1 if indexed else 400
    try:
        found = Haystack(lines).find(needle, Window(0, len(lines) - len(needle) + 1))
    finally:
        matching._FEW_WINDOWS = few
    expected: tuple[list[int], bool] = ([], False)
    for number, form in enumerate([str, str.rstrip, str.strip, plain]):
        wanted = [form(line) for line in needle]
        formed = [form(line) for line in lines]
        starts = [
            start
            for start in range(len(lines) - len(needle) + 1)
            if formed[start : start + len(needle)] == wanted
        ]
        if starts:
            expected = (starts, number == 0)
            break
    assert found == expected


def test_a_hint_counts_more_than_a_better_place() -> None:
    haystack = Haystack(["x", "  x", "x"])
    assert haystack.find(["x"], Window(0, 3, hint=1)) == ([1], False)
    assert haystack.find(["x"], Window(0, 3, hint=7)) == ([0, 2], True)


def test_the_nearest_text_is_found_in_a_large_file() -> None:
    lines = [f"value_{number} = compute({number})" for number in range(20_000)]
    lines[12_345:12_348] = ["def special():", "    return 1", ""]
    haystack = Haystack(lines)
    window = Window(0, len(lines))
    by_line = haystack.nearest(["def special():", "    return 22"], window)
    assert by_line is not None
    assert by_line.start == 12_345
    by_likeness = haystack.nearest(["def specialty():"], window)
    assert by_likeness is not None
    assert by_likeness.start == 12_345
    assert haystack.nearest(["@@@@@@@@@@@@@@@@@@@@"], window) is None


def test_a_needle_longer_than_the_file_is_not_found() -> None:
    haystack = Haystack(["a"])
    assert haystack.find(["a", "b"], Window(0, 0)) == ([], False)
    assert haystack.nearest(["a", "b"], Window(0, 0)) is None


def test_similar_lines_must_all_be_there() -> None:
    haystack = Haystack(["one two three four five", "x"])
    needle = ["one two three four fine", "y"]
    assert [place.start for place in haystack.similar(needle, Window(0, 1, hint=1), 0.8)] == [0]
    assert haystack.similar(["x", "y"], Window(0, 1, hint=1), 0.5) == []


def test_very_long_lines_are_compared_without_measuring_them() -> None:
    long = "x" * (LONGEST_COMPARED + 1)
    assert similarity(long, long) == 1
    assert similarity(long, long + "y") == 0


@given(LINES, LINES)
def test_changes_of_lines_lead_from_the_old_to_the_new(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    for code in line_changes(old, new):
        if code.tag == "equal":
            assert old[code.src_start : code.src_end] == new[code.dest_start : code.dest_end]
        made += new[code.dest_start : code.dest_end]
    assert made == new
