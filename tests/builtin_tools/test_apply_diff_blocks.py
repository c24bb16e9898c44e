import pytest

from roo_code.builtin_tools.apply_diff_blocks import Block, MalformedDiff, parse_blocks


def test_a_block_with_everything_in_it() -> None:
    diff = (
        "<<<<<<< SEARCH\n:start_line:12\n:end_line:13\n-------\none\ntwo\n"
        "=======\nthree\n>>>>>>> REPLACE"
    )
    assert parse_blocks(diff) == [Block(1, ("one", "two"), ("three",), 12)]


@pytest.mark.parametrize(
    "header",
    [
        "<<<<<<< SEARCH\n:start_line:7\n-------",
        "<<<<<<< SEARCH  \n:start_line:  7  \n-------  ",
        "<<<<<<< SEARCH>\n:start_line:[7]",
        "<<<<<<< SEARCH\r\n:start_line: [ 7 ]\r\n-------\r",
    ],
)
def test_headers_in_the_ways_models_write_them(header: str) -> None:
    diff = f"{header}\nold\n=======  \nnew\n>>>>>>> REPLACE  "
    assert parse_blocks(diff) == [Block(1, ("old",), ("new",), 7)]


def test_text_around_the_blocks_is_passed_over() -> None:
    block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
    blocks = parse_blocks(f"file.py\n```\n{block}\n\nand then\n{block}\n```")
    assert [(found.line, found.search) for found in blocks] == [(3, ("a",)), (10, ("a",))]


def test_empty_parts_are_empty() -> None:
    blocks = parse_blocks("<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE")
    assert blocks == [Block(1, (), ())]


@pytest.mark.parametrize(
    "line", ["<<<<<<< HEAD", "=======", ">>>>>>> main", "-------", ":start_line:5", ":end_line:6"]
)
def test_a_backslash_makes_text_of_a_marker(line: str) -> None:
    diff = f"<<<<<<< SEARCH\n\\{line}\n=======\n\\{line}\n\\\\{line}\n>>>>>>> REPLACE"
    assert parse_blocks(diff) == [Block(1, (line,), (line, f"\\{line}"))]


def test_other_backslashes_are_text() -> None:
    diff = "<<<<<<< SEARCH\n\\d+\n \\=======\n=======\n\\\n>>>>>>> REPLACE"
    assert parse_blocks(diff) == [Block(1, ("\\d+", " \\======="), ("\\",))]


def test_only_whole_lines_at_the_margin_are_markers() -> None:
    text = ("  =======", "======== ", "a <<<<<<< SEARCH", "--------", " >>>>>>> REPLACE")
    diff = "\n".join(["<<<<<<< SEARCH", *text, "=======", *text[1:], ">>>>>>> REPLACE"])
    assert parse_blocks(diff) == [Block(1, text, text[1:])]


def test_dashes_that_are_text_after_dashes_that_are_not() -> None:
    diff = "<<<<<<< SEARCH\n:start_line:1\n-------\n-------\n=======\n>>>>>>> REPLACE"
    assert parse_blocks(diff)[0].search == ("-------",)


@pytest.mark.parametrize(
    ("diff", "line", "problem"),
    [
        ("", 1, "no '<<<<<<< SEARCH' block"),
        ("just text", 1, "no '<<<<<<< SEARCH' block"),
        ("a\n=======\nb", 2, "where '<<<<<<< SEARCH' should begin"),
        ("\n>>>>>>> REPLACE", 2, "where '<<<<<<< SEARCH' should begin"),
        ("<<<<<<< HEAD\na", 1, "where '<<<<<<< SEARCH' should begin"),
        (">>>>>>> main\na", 1, "where '<<<<<<< SEARCH' should begin"),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH", 3, "'=======' is still to come"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE", 3, "'=======' is still to come"),
        ("<<<<<<< SEARCH\na\n<<<<<<< HEAD", 3, "'=======' is still to come"),
        ("<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH", 5, "'>>>>>>> REPLACE' is still to come"),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======", 5, "'>>>>>>> REPLACE' is still to come"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> main", 5, "'>>>>>>> REPLACE' is still to come"),
        ("<<<<<<< SEARCH\na\n=======\n:start_line:4", 4, "in the SEARCH part only"),
        ("<<<<<<< SEARCH\n:start_line:abc\na", 2, "needs a line number"),
        ("<<<<<<< SEARCH\n:start_line:\na", 2, "needs a line number"),
        ("<<<<<<< SEARCH\na", 2, "without the '=======' of the block in line 1"),
        ("<<<<<<< SEARCH\na\n=======\nb", 4, "without the '>>>>>>> REPLACE' of the block"),
    ],
)
def test_what_is_malformed_is_told_with_its_line(diff: str, line: int, problem: str) -> None:
    with pytest.raises(MalformedDiff) as error:
        parse_blocks(diff)
    told = str(error.value)
    assert f"malformed at its line {line}: " in told
    assert problem in told
    assert ":start_line:<number" in told  # the right format
