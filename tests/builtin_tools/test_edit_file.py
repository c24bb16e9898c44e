import json
from pathlib import Path

import pytest

from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller, identity


@pytest.fixture
def file(caller: Caller) -> Path:
    file = caller.folder / "a.py"
    file.write_bytes(b"def f(a,  b):\r\n\treturn a\r\n\r\ndef g():\r\n\treturn a\r\n")
    return file


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("def g():", "def h():", b"def f(a,  b):\r\n\treturn a\r\n\r\ndef h():\r\n\treturn a\r\n"),
        (  # blanks between the words differ
            "def f(a, b):\n    return a",
            "def f(a, c):\n\treturn c",
            b"def f(a, c):\r\n\treturn c\r\n\r\ndef g():\r\n\treturn a\r\n",
        ),
        (  # and so do the lines
            "return a def g():",
            "return b\n\ndef g():",
            b"def f(a,  b):\r\n\treturn b\r\n\r\ndef g():\r\n\treturn a\r\n",
        ),
    ],
)
async def test_text_is_found_literally_or_however_its_blanks_are_set(
    caller: Caller, file: Path, old: str, new: str, after: bytes
) -> None:
    result = await caller.call("edit_file", file_path="a.py", old_string=old, new_string=new)
    assert not result.is_error
    assert file.read_bytes() == after
    assert result.seen_files == {"a.py": digest(after)}


async def test_as_many_places_as_expected_are_replaced(caller: Caller, file: Path) -> None:
    result = await caller.call(
        "edit_file",
        file_path="a.py",
        old_string="return a",
        new_string="pass",
        expected_replacements="2",
    )
    assert result.content.endswith("} (2 replacements)")
    assert file.read_bytes() == b"def f(a,  b):\r\n\tpass\r\n\r\ndef g():\r\n\tpass\r\n"


async def test_an_empty_search_creates_a_file(caller: Caller, file: Path) -> None:
    result = await caller.call("edit_file", file_path="b/c.py", old_string="", new_string="x\n")
    assert json.loads(result.content)["operation"] == "created"
    assert (caller.folder / "b/c.py").read_bytes() == b"x\n"
    assert result.seen_files == {"b/c.py": digest(b"x\n")}


@pytest.mark.parametrize(
    ("path", "old", "count", "told"),
    [
        ("a.py", "", 1, "exists already"),
        ("b.py", "x", 1, "'b.py' does not exist"),
        ("a.py", "new", 1, "are the same"),
        ("a.py", "return a", 1, "2 times exactly, 2 or 2 times if blanks are ignored"),
        ("a.py", "return a", 3, "expected_replacements is 3"),
        ("a.py", "zzz zzz zzz", 1, "Nothing similar"),
        ("a.py", " \n ", 1, "old_string is not in 'a.py'"),
    ],
)
async def test_what_does_not_fit_is_told_and_changes_nothing(
    caller: Caller, file: Path, path: str, old: str, count: int, told: str
) -> None:
    before = identity(file)
    result = await caller.call(
        "edit_file", file_path=path, old_string=old, new_string="new", expected_replacements=count
    )
    assert result.is_error
    assert told in result.content
    assert result.content.startswith("<error_details>\n")
    assert identity(file) == before
