import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller, identity

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def block(search: str, replace: str, start_line: int = 0) -> str:
    hint = f":start_line:{start_line}\n-------\n" if start_line else ""
    replaced = f"{replace}\n" if replace else ""
    return f"<<<<<<< SEARCH\n{hint}{search}\n=======\n{replaced}>>>>>>> REPLACE\n"


@pytest.fixture
def file(caller: Caller) -> Path:
    file = caller.folder / "a.txt"
    file.write_bytes(TEN.encode())
    return file


@pytest.mark.requirement("tools:apply-diff:search-replace")
async def test_several_blocks_change_their_lines_and_no_others(caller: Caller, file: Path) -> None:
    diff = block("line 2", "two\nand a half", 2) + block("line 8\nline 9", "", 8)
    result = await caller.call("apply_diff", path="a.txt", diff=diff)
    assert json.loads(result.content) == snapshot(
        {
            "path": "a.txt",
            "operation": "modified",
            "notice": "Successfully modified a.txt (2 lines added, 3 removed).",
        }
    )
    assert file.read_text(encoding="utf-8").splitlines() == [
        "line 1", "two", "and a half", *(f"line {number}" for number in (3, 4, 5, 6, 7, 10)),
    ]  # fmt: skip
    assert result.seen_files == {"a.txt": digest(file.read_bytes())}


async def test_one_block_comes_with_a_word_on_several(caller: Caller, file: Path) -> None:
    result = await caller.call("apply_diff", path="a.txt", diff=block("line 2", "two", 2))
    note, notice = result.content.split("\n")
    assert json.loads(note)["operation"] == "modified"
    assert notice.startswith("<notice>")


@pytest.mark.requirement("tools:apply-diff:no-match")
async def test_text_that_is_not_there_changes_nothing_and_the_nearest_is_shown(
    caller: Caller, file: Path
) -> None:
    before = identity(file)
    diff = block("line 2", "two", 2) + block("line 5\nlime 66\nline 7", "x", 5)
    result = await caller.call("apply_diff", path="a.txt", diff=diff)
    assert result.is_error
    head, told = result.content.split("\n\n")
    assert head.startswith("<error_details>\n1 of 2 blocks does not fit 'a.txt', so nothing was")
    assert told == snapshot("""\
Block in line 8 of the diff, start_line 5: its text was not found near line 5.
Nearest text (90% alike, 100% needed):
5 | line 5
6 | line 6
7 | line 7
First difference in line 6; you searched for: 'lime 66'
</error_details>\
""")
    assert file.read_bytes() == TEN.encode()
    assert identity(file) == before


async def test_every_block_that_fails_is_told(caller: Caller, file: Path) -> None:
    """Roo tells only the last."""
    diff = block("nine nine nine", "x") + block("", "x") + block("same", "same")
    result = await caller.call("apply_diff", path="a.txt", diff=diff + block("lane 3", "x"))
    assert "4 of 4 blocks" in result.content
    assert "Block in line 1 of the diff: its text was not found.\nNothing similar" in result.content
    assert "Block in line 6 of the diff: its SEARCH part is empty" in result.content
    assert "Block in line 11 of the diff: its SEARCH and REPLACE parts are the same" in (
        result.content
    )
    assert "3 | line 3" in result.content


async def test_many_failures_do_not_flood_the_context(caller: Caller, file: Path) -> None:
    wide = "".join(f"a rather long line, number {number}, {'x' * 300}\n" for number in range(200))
    file.write_bytes(wide.encode())
    search = "\n".join(f"a rather long lime, number {number}, {'x' * 290}" for number in range(20))
    result = await caller.call("apply_diff", path="a.txt", diff=block(search, "y") * 40)
    assert "40 of 40 blocks" in result.content
    assert result.content.count("its text was not found") == 40
    assert len(result.content) < 10_000


async def test_the_same_text_twice_is_refused_unless_a_line_is_named(
    caller: Caller, file: Path
) -> None:
    """Roo takes one of them."""
    file.write_bytes(b"a\nx\nb\nx\nc\nx\n")
    result = await caller.call("apply_diff", path="a.txt", diff=block("x", "y"))
    assert "3 times, at lines 2, 4, 6" in result.content
    result = await caller.call("apply_diff", path="a.txt", diff=block("x", "y", 3))
    assert "3 times" in result.content  # lines 2 and 4 are equally near
    assert file.read_bytes() == b"a\nx\nb\nx\nc\nx\n"
    await caller.call("apply_diff", path="a.txt", diff=block("x", "y", 7) + block("x", "z", 2))
    assert file.read_bytes() == b"a\nz\nb\nx\nc\ny\n"


async def test_line_numbers_are_those_before_the_change(caller: Caller, file: Path) -> None:
    file.write_bytes(b"x\na\nx\nb\nx\nc\n")
    diff = block("x", "1\n1\n1\n1", 1) + block("x", "2", 3) + block("x", "3", 5)
    await caller.call("apply_diff", path="a.txt", diff=diff)
    assert file.read_bytes() == b"1\n1\n1\n1\na\n2\nb\n3\nc\n"


async def test_text_beyond_the_buffer_is_not_taken_but_its_place_is_told(
    caller: Caller, file: Path
) -> None:
    file.write_bytes(b"\n" * 60 + b"here\n" + b"\n" * 60)
    result = await caller.call("apply_diff", path="a.txt", diff=block("here", "x", 10))
    assert "not within 40 lines of line 10, but at line 61" in result.content
    await caller.call("apply_diff", path="a.txt", diff=block("here", "x", 21))
    assert file.read_bytes() == b"\n" * 60 + b"x\n" + b"\n" * 60


async def test_blocks_that_touch_the_same_lines_are_refused(caller: Caller, file: Path) -> None:
    diff = block("line 4\nline 5", "x") + block("line 5\nline 6", "y")
    result = await caller.call("apply_diff", path="a.txt", diff=diff)
    assert "changes lines that the block in line 1 of the diff changes too" in result.content
    assert file.read_bytes() == TEN.encode()


@pytest.mark.parametrize(
    ("there", "search"),
    [
        ("\tif x:   # why", "    if x: # why"),
        ("say(\u201cit\u2019s\u2026 done\u201d \u2013 now)", 'say("it\'s... done" - now)'),
        ("a\u00a0b", "a b"),
        ("key:  value\t ", "key: value"),
    ],
)
async def test_blanks_and_typographic_signs_may_differ(
    caller: Caller, file: Path, there: str, search: str
) -> None:
    file.write_bytes(f"one\n{there}\nlast\n".encode())
    result = await caller.call("apply_diff", path="a.txt", diff=block(f"{search}\nlast", "LAST"))
    assert "apart from blanks or small differences" in result.content
    assert file.read_bytes() == b"one\nLAST\n"


async def test_lines_that_stay_keep_what_differs_in_them(caller: Caller, file: Path) -> None:
    file.write_bytes("\tfirst  “line”  \r\n\told\r\n\tthird\n".encode())
    search, replace = (
        '  first "line"\n  old\n  third',
        '  first "line"\n  new  \n    deeper\n  third',
    )
    await caller.call("apply_diff", path="a.txt", diff=block(search, replace))
    assert file.read_bytes() == ("\tfirst  “line”  \r\n\tnew  \r\n\t\tdeeper\r\n\tthird\n".encode())


async def test_blanks_at_the_ends_of_new_lines_are_kept(caller: Caller, file: Path) -> None:
    """Roo cuts them off, and with them the hard breaks of Markdown."""
    await caller.call("apply_diff", path="a.txt", diff=block("line 1", "one  \ntwo\t"))
    assert file.read_bytes().startswith(b"one  \ntwo\t\nline 2\n")


async def test_an_exact_place_goes_before_a_similar_one(caller: Caller, file: Path) -> None:
    file.write_bytes(b"    x = 1\nx = 1\n")
    await caller.call("apply_diff", path="a.txt", diff=block("x = 1", "y"))
    assert file.read_bytes() == b"    x = 1\ny\n"


async def test_the_threshold_is_a_setting(caller: Caller, file: Path) -> None:
    file.write_bytes(b"def calculate_totals(orders):\n    return sum(orders)\n")
    diff = block("def calculate_total(orders):\n    return sum(orders)", "x = 1")
    assert (await caller.call("apply_diff", path="a.txt", diff=diff)).is_error
    caller.settings["fuzzyMatchThreshold"] = 0.9
    assert not (await caller.call("apply_diff", path="a.txt", diff=diff)).is_error
    assert file.read_bytes() == b"x = 1\n"


async def test_the_most_similar_place_is_taken_and_a_draw_refused(
    caller: Caller, file: Path
) -> None:
    caller.settings["fuzzyMatchThreshold"] = 0.8
    file.write_bytes(b"call(alpha, beta1)\ncall(alpha, beta)\ncall(alpha, beta2)\n")
    await caller.call("apply_diff", path="a.txt", diff=block("call(alpha, betax)", "x"))
    result = await caller.call("apply_diff", path="a.txt", diff=block("call(alpha, beta3)", "x"))
    assert "in the file 3 times" in result.content or "in the file 2 times" in result.content
    assert file.read_bytes() == b"call(alpha, beta1)\ncall(alpha, beta)\ncall(alpha, beta2)\n"


async def test_similar_text_is_not_taken_with_pasted_line_numbers(
    caller: Caller, file: Path
) -> None:
    caller.settings["fuzzyMatchThreshold"] = 0.7
    file.write_bytes(b"first\ncompute(alpha, beta)\n")
    diff = block("2 | compute(alpha, beta1)", "2 | compute(gamma)")
    result = await caller.call("apply_diff", path="a.txt", diff=diff)
    assert "without its line numbers" in result.content
    assert file.read_bytes() == b"first\ncompute(gamma)\n"


async def test_line_numbers_and_entities_that_models_add_are_understood(
    caller: Caller, file: Path
) -> None:
    file.write_bytes(b"if a < b && c:\n    go()\n")
    await caller.call("apply_diff", path="a.txt", diff=block(" 2 |     go()", " 2 |     stop()"))
    result = await caller.call(
        "apply_diff", path="a.txt", diff=block("if a &lt; b &amp;&amp; c:", "if a &gt; b:")
    )
    assert "with entities" in result.content
    assert file.read_bytes() == b"if a > b:\n    stop()\n"


async def test_what_looks_like_line_numbers_but_is_there_is_text(
    caller: Caller, file: Path
) -> None:
    file.write_bytes(b"1 | a\n2 | b &lt;\n")
    await caller.call("apply_diff", path="a.txt", diff=block("1 | a\n2 | b &lt;", "1 | c"))
    assert file.read_bytes() == b"1 | c\n"


async def test_air_before_the_separator_is_forgiven(caller: Caller, file: Path) -> None:
    await caller.call("apply_diff", path="a.txt", diff=block("line 1\n", "one\n"))
    assert file.read_bytes().startswith(b"one\nline 2\n")


async def test_what_is_there_already_is_not_written(caller: Caller, file: Path) -> None:
    file.write_bytes(b"\tx = 1\n\ty = 2\n")
    before = identity(file)
    result = await caller.call("apply_diff", path="a.txt", diff=block("x =  1", "x = 1"))
    assert result.content == "No changes needed: a.txt is already as the diff would make it."
    assert identity(file) == before


async def test_a_file_that_is_missing_or_no_text_is_refused(caller: Caller, file: Path) -> None:
    result = await caller.call("apply_diff", path="none.txt", diff=block("a", "b"))
    assert "'none.txt' does not exist" in result.content
    file.write_bytes(b"\x7fELF\x00\x00\x00\x01")
    result = await caller.call("apply_diff", path="a.txt", diff=block("a", "b"))
    assert "not text" in result.content
    result = await caller.call("apply_diff", path=".", diff=block("a", "b"))
    assert result.is_error
