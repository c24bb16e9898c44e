import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller


@pytest.fixture
def file(caller: Caller) -> Path:
    return caller.folder / "a.txt"


@pytest.mark.requirement("tools:insert-content:position")
@pytest.mark.parametrize(
    ("before", "line", "content", "after"),
    [
        (b"a\nb\n", 1, "x\ny", b"x\ny\na\nb\n"),
        (b"a\nb\n", 2, "x\n", b"a\nx\nb\n"),
        (b"a\nb\n", 3, "x", b"a\nb\nx\n"),
        (b"a\nb\n", 0, "x\n\n", b"a\nb\nx\n\n"),
        (b"a\nb", 0, "x", b"a\nb\nx"),
        (b"a\nb", 2, "x", b"a\nx\nb"),
        (b"a\r\nb\r\n", 2, "x\ny\n", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"\xef\xbb\xbfa\n", 1, "x", b"\xef\xbb\xbfx\na\n"),
        (b"", 0, "x\n", b"x\n"),
        (b"", 1, "x", b"x\n"),
        (b"a\n", 1, "\n", b"\na\n"),
        (b"a\n", 2, "  1 | not a number", b"a\n  1 | not a number\n"),
    ],
)
async def test_lines_are_inserted_and_none_is_replaced(
    caller: Caller, file: Path, before: bytes, line: int, content: str, after: bytes
) -> None:
    file.write_bytes(before)
    result = await caller.call("insert_content", path="a.txt", line=line, content=content)
    assert not result.is_error
    assert file.read_bytes() == after
    assert result.seen_files == {"a.txt": digest(after)}


async def test_the_result_says_where(caller: Caller, file: Path) -> None:
    file.write_bytes(b"a\nb\n")
    result = await caller.call("insert_content", path="a.txt", line="2", content="x\ny")
    assert json.loads(result.content) == snapshot(
        {
            "path": "a.txt",
            "operation": "modified",
            "notice": "Successfully modified a.txt (2 lines added, 0 removed). "
            "Inserted before what was line 2.",
        }
    )


@pytest.mark.parametrize("line", [0, 1])
async def test_a_new_file_begins_with_line_0_or_1(caller: Caller, line: int) -> None:
    result = await caller.call("insert_content", path="new/b.txt", line=line, content="x\ny")
    assert json.loads(result.content)["operation"] == "created"
    assert (caller.folder / "new/b.txt").read_bytes() == b"x\ny"


@pytest.mark.parametrize(
    ("path", "line", "content", "told"),
    [
        ("a.txt", 4, "x", "has 2 lines, so nothing can be inserted before line 4"),
        ("b.txt", 2, "x", "does not exist; to create it, use line 0 or 1"),
        ("a.txt", -1, "x", "line: Input should be greater than or equal to 0"),
        ("a.txt", 1, "", "There is nothing to insert"),
        ("a.txt", 1, "\ud800", "half a character"),
        ("new.txt", 1, "\ud800", "half a character"),
        ("../out.txt", 1, "x", "outside the workspace"),
    ],
)
async def test_what_cannot_be_inserted_is_told_and_changes_nothing(
    caller: Caller, file: Path, path: str, line: int, content: str, told: str
) -> None:
    file.write_bytes(b"a\nb\n")
    result = await caller.call("insert_content", path=path, line=line, content=content)
    assert result.is_error
    assert told in result.content
    assert [(path.name, path.read_bytes()) for path in caller.folder.iterdir()] == [
        ("a.txt", b"a\nb\n")
    ]
