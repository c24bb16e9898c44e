"""edit and search_replace, which differ only in `replace_all`."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller, identity

BOTH = pytest.mark.parametrize("tool", ["edit", "search_replace", "search_and_replace"])


@pytest.fixture
def file(caller: Caller) -> Path:
    file = caller.folder / "a.txt"
    file.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    return file


@BOTH
async def test_a_text_is_replaced_and_line_ends_stay(caller: Caller, file: Path, tool: str) -> None:
    """Roo writes CR LF as LF."""
    result = await caller.call(
        tool, file_path="a.txt", old_string="one\ntwo", new_string="one\n2\nand"
    )
    assert json.loads(result.content) == snapshot(
        {
            "path": "a.txt",
            "operation": "modified",
            "notice": "Successfully modified a.txt (3 lines added, 2 removed).",
        }
    )
    assert file.read_bytes() == b"one\r\n2\r\nand\r\nthree\r\n"
    assert result.seen_files == {"a.txt": digest(file.read_bytes())}


@BOTH
async def test_new_text_is_taken_literally(caller: Caller, file: Path, tool: str) -> None:
    """Roo's search_replace takes `$&` for what was found."""
    await caller.call(tool, file_path="a.txt", old_string="two", new_string="$& $1 \\1 $$")
    assert file.read_bytes() == b"one\r\n$& $1 \\1 $$\r\nthree\r\n"


@BOTH
async def test_an_absolute_path_and_other_names_are_understood(
    caller: Caller, file: Path, tool: str
) -> None:
    await caller.call(tool, path=str(file), old_str="two", new_str="")
    assert file.read_bytes() == b"one\r\n\r\nthree\r\n"


@BOTH
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("one", "one", "are the same"),
        ("one\r\n", "one\n", "are the same"),
        ("t", "x", "in 'a.txt' 2 times (lines 2, 3)"),
        ("", "x", "old_string: String should have at least 1 character"),
        ("one\ntwo\nthre3", "x", "Nearest text (92% alike apart from blanks):\n1 | one\n2 | two"),
        ("something else altogether", "x", "Nothing similar is there"),
        ("two", "\udc00", "half a character"),
    ],
)
async def test_what_does_not_fit_is_told_and_changes_nothing(
    caller: Caller, file: Path, tool: str, old: str, new: str, told: str
) -> None:
    before = identity(file)
    result = await caller.call(tool, file_path="a.txt", old_string=old, new_string=new)
    assert result.is_error
    assert told in result.content
    assert identity(file) == before


@BOTH
async def test_a_missing_file_is_told(caller: Caller, tool: str) -> None:
    result = await caller.call(tool, file_path="none", old_string="a", new_string="b")
    assert "'none' does not exist" in result.content


async def test_all_places_are_replaced_if_asked_for(caller: Caller, file: Path) -> None:
    file.write_bytes(b"a b a\r\nab\r\n")
    result = await caller.call(
        "edit", file_path="a.txt", old_string="a", new_string="xa", replace_all="true"
    )
    assert "3 places changed" in result.content
    assert file.read_bytes() == b"xa b xa\r\nxab\r\n"


async def test_several_places_and_how_to_change_them_all_are_told(
    caller: Caller, file: Path
) -> None:
    result = await caller.call("edit", file_path="a.txt", old_string="e", new_string="x")
    assert "3 times (lines 1, 3, 3)" in result.content
    assert "set replace_all" in result.content


async def test_characters_that_the_encoding_lacks_are_refused(caller: Caller, file: Path) -> None:
    data = "caf\u00e9\none\n".encode("latin-1")
    file.write_bytes(data)
    result = await caller.call("edit", file_path="a.txt", old_string="one", new_string="\u20ac")
    assert "written in latin-1, which lacks '€'" in result.content
    assert file.read_bytes() == data


async def test_text_in_gbk_is_found_and_stays_gbk(caller: Caller, file: Path) -> None:
    text = "第一行。你好世界\r\n第二行。再见\r\n"
    file.write_bytes(text.encode("gbk"))
    await caller.call("edit", file_path="a.txt", old_string="再见", new_string="明天见")
    assert file.read_bytes() == text.replace("再见", "明天见").encode("gbk")
