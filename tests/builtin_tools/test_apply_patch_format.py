import pytest

from roo_code.builtin_tools.apply_patch_format import (
    AddFile,
    DeleteFile,
    Hunk,
    HunkLine,
    InvalidPatch,
    UpdateFile,
    parse_patch,
)


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


CHANGE = (HunkLine("-", "a"), HunkLine("+", "b"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n\n", "\n\n"),
        ("<<EOF\n", "\nEOF\n"),
        ('<<"EOF"\n', "\nEOF"),
        ("apply_patch <<'PATCH'\n", "\nPATCH\n"),
        ("```\n", "\n```"),
        ("```diff\n", "\n```\n"),
    ],
)
def test_what_models_wrap_around_a_patch_is_taken_off(before: str, after: str) -> None:
    assert parse_patch(f"{before}{patch('*** Delete File: a')}{after}") == [DeleteFile("a")]


def test_a_first_hunk_needs_no_sign() -> None:
    assert parse_patch(patch("*** Update File: f", "-a", "+b")) == [
        UpdateFile("f", (Hunk(3, (), CHANGE),))
    ]


def test_contexts_may_follow_each_other() -> None:
    found = parse_patch(patch("*** Update File: f", "@@ class A:", "@@     def f():", "-a", "+b"))
    assert found == [UpdateFile("f", (Hunk(3, ("class A:", "    def f():"), CHANGE),))]


def test_line_numbers_as_in_a_diff_are_no_context() -> None:
    """Models that know diffs write them so; Roo looks for a line that reads `-1,2 +1,2 @@`."""
    found = parse_patch(patch("*** Update File: f", "@@ -1,2 +1,2 @@ def f():", "-a", "+b"))
    assert found == [UpdateFile("f", (Hunk(3, (), CHANGE),))]


def test_a_word_on_the_missing_newline_is_passed_over() -> None:
    found = parse_patch(patch("*** Update File: f", "-a", "+b", "\\ No newline at end of file"))
    assert found == [UpdateFile("f", (Hunk(3, (), CHANGE),))]


def test_an_empty_line_in_a_hunk_is_a_blank_line_of_the_file() -> None:
    (update,) = parse_patch(patch("*** Update File: f", "@@", "-a", "", "+b"))
    assert isinstance(update, UpdateFile)
    assert update.hunks[0].lines == (HunkLine("-", "a"), HunkLine(" ", ""), HunkLine("+", "b"))


def test_blank_lines_of_a_new_file_may_lack_their_sign() -> None:
    found = parse_patch(patch("*** Add File: a", "+x", "", "+y", "", "*** Delete File: b"))
    assert found == [AddFile("a", ("x", "", "y")), DeleteFile("b")]


def test_a_file_may_only_move() -> None:
    found = parse_patch(patch("*** Update File: a", "*** Move to: b"))
    assert found == [UpdateFile("a", (), "b")]


def test_marked_ends_and_several_hunks() -> None:
    lines = ["@@", "-a", "+b", "*** End of File", "", "@@ x", " c", "*** End of File"]
    (update,) = parse_patch(patch("*** Update File: f", *lines))
    assert isinstance(update, UpdateFile)
    assert [(hunk.line, hunk.contexts, hunk.at_end) for hunk in update.hunks] == [
        (3, (), True),
        (8, ("x",), True),
    ]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "must begin with"),
        ("*** Begin Patch", 1, "must end with"),
        ("*** Begin Patch\n*** Delete File: a\n", 2, "may be cut off"),
        (patch(), 1, "names no file"),
        (patch("text"), 2, "'text' is not '*** Add File:'"),
        (patch("*** Delete File: "), 2, "with a path"),
        (patch("*** Delete File: a", "-x"), 3, "'-x' is not"),
        (patch("*** Add File: a", "+x", "y"), 4, "begins with '+'; got 'y'"),
        (patch("*** Update File: a"), 2, "the update of 'a' is empty"),
        (patch("*** Update File: a", "@@"), 3, "no lines"),
        (patch("*** Update File: a", "@@", "-x", "oops"), 5, "begins with ' ', '-' or '+'"),
    ],
)
def test_what_is_invalid_is_told_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(InvalidPatch) as error:
        parse_patch(text)
    assert f"Invalid patch format: Line {line}: " in str(error.value)
    assert problem in str(error.value)
