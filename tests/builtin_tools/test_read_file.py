import base64
import os
import tracemalloc

import pytest
from inline_snapshot import snapshot

from roo_code.builtin_tools.read_file_text import MOST_CHARACTERS
from roo_code.workspace.files import LARGEST_FILE, digest
from tests.builtin_tools.calls import Caller

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def write(caller: Caller, name: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    (caller.folder / name).write_bytes(data)


@pytest.mark.requirement("tools:read-file:line-numbers")
async def test_each_line_has_its_number(caller: Caller) -> None:
    write(caller, "a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
    result = await caller.call("read_file", path="a.txt", offset=8)
    assert not result.is_error
    assert result.content == snapshot(
        """\
File: a.txt
 8 | line 8
 9 | line 9
10 | line 10\
"""
    )


async def test_what_is_left_is_told_with_the_way_to_it(caller: Caller) -> None:
    write(caller, "a.txt", "a\nb\nc\nd\n")
    result = await caller.call("read_file", path="a.txt", offset="2", limit="2")
    assert result.content == snapshot(
        """\
File: a.txt
Note: showing lines 2-3 of 4. To read on, call read_file with offset=4 and limit=2.
2 | b
3 | c\
"""
    )


async def test_by_default_two_thousand_lines_are_read(caller: Caller) -> None:
    write(caller, "a.txt", "x\n" * 2500)
    content = (await caller.call("read_file", path="a.txt", mode=None, limit=None)).content
    assert "lines 1-2000 of 2500" in content
    assert content.endswith("\n2000 | x")


async def test_a_call_returns_only_so_much_and_the_rest_can_be_read(caller: Caller) -> None:
    write(caller, "a.txt", f"{'y' * 999}\n" * 500)
    content = (await caller.call("read_file", path="a.txt")).content
    assert len(content) < MOST_CHARACTERS * 1.2
    last = int(content.rpartition("\n")[2].partition("|")[0])
    assert f"offset={last + 1} " in content
    content = (await caller.call("read_file", path="a.txt", offset=last + 1)).content
    assert f"\n{last + 1} | yyy" in content


async def test_a_long_line_is_cut(caller: Caller) -> None:
    write(caller, "a.txt", "x" * 2000 + "\n" + "y" * 2001 + "\n")
    content = (await caller.call("read_file", path="a.txt")).content
    assert content == f"File: a.txt\n1 | {'x' * 2000}\n2 | {'y' * 1997}..."


async def test_an_empty_file_and_a_line_beyond_the_end_are_told_apart(caller: Caller) -> None:
    write(caller, "empty.txt", "")
    write(caller, "short.txt", "a\n")
    empty = await caller.call("read_file", path="empty.txt", offset=5)
    beyond = await caller.call("read_file", path="short.txt", offset=5)
    assert [empty.content, beyond.content] == snapshot(
        [
            "File: empty.txt\nNote: the file is empty.",
            "File: short.txt\nNote: line 5 is beyond the end; the file has 1 lines.",
        ]
    )
    assert not empty.is_error
    assert not beyond.is_error


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("é\n".encode(), "é"),
        (b"\xef\xbb\xbf" + "é\r\n".encode(), "é"),
        ("\ufeffé\n".encode("utf-16-le"), "é"),
        ("\ufeffé\n".encode("utf-16-be"), "é"),
        ("é\n".encode("latin-1"), "é"),
        (b"ok" + b"\xff\xfe\xfd\n", "okÿþý"),
        ("\ufeffa\n".encode("utf-16-le") + b"\x00\xd8", "a\n2 | \ufffd"),
    ],
)
async def test_text_in_any_encoding_is_shown(caller: Caller, data: bytes, shown: str) -> None:
    write(caller, "a.txt", data)
    assert (await caller.call("read_file", path="a.txt")).content == f"File: a.txt\n1 | {shown}"


async def test_chinese_text_that_is_not_utf_8_is_shown(caller: Caller) -> None:
    write(caller, "a.txt", "书架上有很多书我们打开它们。\n".encode("gbk"))
    assert (
        "1 | 书架上有很多书我们打开它们。" in (await caller.call("read_file", path="a.txt")).content
    )


async def test_a_file_that_is_utf_8_only_at_first_is_shown(caller: Caller) -> None:
    write(caller, "a.txt", "é\n".encode() * 200_000 + b"\xe9\n")
    content = (await caller.call("read_file", path="a.txt", offset=200_001)).content
    assert content == "File: a.txt\n200001 | é"


async def test_a_picture_is_shown(caller: Caller) -> None:
    write(caller, "a.dat", PNG)
    result = await caller.call("read_file", path="a.dat")
    [image] = result.images
    assert (image.media_type, base64.b64decode(image.data)) == ("image/png", PNG)
    assert result.content == snapshot("File: a.dat\nNote: an image of 0.1 KB, shown below.")


@pytest.mark.parametrize("head", [b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 "])
async def test_pictures_are_known_by_their_content(caller: Caller, head: bytes) -> None:
    write(caller, "picture.png", head + bytes(50))
    [image] = (await caller.call("read_file", path="picture.png")).images
    assert image.media_type in {"image/jpeg", "image/gif", "image/webp"}


async def test_a_picture_that_is_too_large_is_not_shown(caller: Caller) -> None:
    caller.settings = {"maxImageFileSize": 1, "maxTotalImageSize": 1.5}
    write(caller, "large.png", PNG + bytes(1 << 20))
    write(caller, "one.png", PNG + bytes(900_000))
    write(caller, "two.png", PNG + bytes(900_000))
    result = await caller.call("read_file", path="large.png")
    assert result.images == ()
    assert "larger than the 1 MB allowed" in result.content
    result = await caller.call("read_file", files=["one.png", "two.png"])
    assert len(result.images) == 1
    assert "together would be larger than allowed" in result.content


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", b"PK\x03\x04\0\0"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"),
        ("a.bin", b"\x7fELF\0\0"),
        ("a", b"\0"),
    ],
)
async def test_a_binary_file_is_not_shown(caller: Caller, name: str, data: bytes) -> None:
    write(caller, name, data)
    result = await caller.call("read_file", path=name)
    assert "binary file" in result.content
    assert "not shown" in result.content
    assert not result.is_error


async def test_what_cannot_be_read_says_why(caller: Caller) -> None:
    (caller.folder / "folder").mkdir()
    (caller.folder / "circle").symlink_to("circle")
    os.mkfifo(caller.folder / "pipe")
    write(caller, "file", "x")
    paths = ("folder", "missing", "file/below", "pipe", "circle", "x" * 300)
    results = [await caller.call("read_file", path=path) for path in paths]
    assert all(result.is_error for result in results)
    assert [result.content[:110] for result in results] == snapshot(
        [
            "File: folder\nError: this is a folder; use list_files to see what is in it.",
            "File: missing\nError: 'missing': there is no such file.",
            "File: file/below\nError: 'file/below': a part of the path is a file, not a folder.",
            "File: pipe\nError: 'pipe' is a device, a pipe or a socket, not a file.",
            """\
File: circle
Error: 'circle': a symbolic link on the path leads in a circle, or was put there just now.\
""",
            f"File: {'x' * 104}",
        ]
    )


@pytest.mark.requirement("security:files:confined")
async def test_nothing_outside_the_workspace_is_read(caller: Caller) -> None:
    secret = caller.folder.parent / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    (caller.folder / "link").symlink_to(secret)
    (caller.folder / "up").symlink_to("..")
    for path in ("../secret.txt", str(secret), "link", "up/secret.txt", "a/../../secret.txt"):
        result = await caller.call("read_file", path=path)
        assert result.is_error
        assert "outside the workspace" in result.content
        assert "| secret" not in result.content


async def test_artifacts_of_the_task_can_be_read(caller: Caller) -> None:
    path = caller.artifacts.write("cmd-1.txt", b"printed\n")
    assert "1 | printed" in (await caller.call("read_file", path=str(path))).content


async def test_what_the_model_has_seen_is_remembered_by_its_whole_content(caller: Caller) -> None:
    data = b"one\ntwo\nthree \xff\n"
    write(caller, "a.txt", data)
    (caller.folder / "link").symlink_to("a.txt")
    result = await caller.call("read_file", path="link", offset=2, limit=1)
    assert result.seen_files == {"a.txt": digest(data)}
    result = await caller.call("read_file", files=["a.txt", {"path": "missing"}])
    assert result.seen_files == {"a.txt": digest(data)}


async def test_what_no_tool_edits_is_not_remembered(caller: Caller) -> None:
    kept = caller.artifacts.write("cmd-1.txt", b"printed\n")
    write(caller, "a.png", PNG)
    write(caller, "a.bin", b"\0\1")
    with (caller.folder / "large.txt").open("wb") as file:
        file.write(b"first\n")
        file.truncate(LARGEST_FILE + 1)
    for path in (str(kept), "a.png", "a.bin", "large.txt"):
        result = await caller.call("read_file", path=path, limit=1)
        assert not result.is_error
        assert result.seen_files == {}


async def test_a_slice_of_a_huge_file_takes_little_memory(caller: Caller) -> None:
    line = b"%0999d\n"
    with (caller.folder / "huge.txt").open("wb") as file:
        file.writelines(line % number for number in range(1, 100_001))
    tracemalloc.start()
    try:
        result = await caller.call("read_file", path="huge.txt", offset=99_999, limit=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.content.endswith("\n99999 | " + "99999".zfill(999))
    assert peak < 10_000_000


CODE = """\
import os

# Counts.
@cached
def count(
    items,
):
    total = 0

    for item in items:
        total += 1
    return total


def other():
    pass
"""


async def test_the_block_around_a_line_is_shown(caller: Caller) -> None:
    write(caller, "a.py", CODE)
    result = await caller.call(
        "read_file", path="a.py", mode="indentation", indentation='{"anchor_line": "11"}'
    )
    assert result.content == snapshot(
        """\
File: a.py
 3 | # Counts.
 4 | @cached
 5 | def count(
 6 |     items,
 7 | ):
 8 |     total = 0
 9 | \n\
10 |     for item in items:
11 |         total += 1
12 |     return total
Included ranges: 3-12 (total: 16 lines)\
"""
    )


async def test_an_anchor_beyond_the_end_is_an_error(caller: Caller) -> None:
    write(caller, "a.py", CODE)
    result = await caller.call("read_file", path="a.py", indentation={"anchor_line": 99})
    assert result.is_error
    assert "anchor_line 99 is not one of the lines 1-16" in result.content


async def test_the_older_shape_reads_several_files_and_ranges(caller: Caller) -> None:
    write(caller, "a.txt", "".join(f"a{n}\n" for n in range(1, 10)))
    write(caller, "b.txt", "b1\n")
    files = [{"path": "a.txt", "line_ranges": [[5, 6], "1-2", {"start": 2, "end": 3}]}, "b.txt"]
    result = await caller.call("read_file", files=[*files, {"path": "missing"}])
    assert not result.is_error
    assert result.content == snapshot(
        """\
File: a.txt
1 | a1
2 | a2
3 | a3
[... lines 4-4 not shown ...]
Note: showing lines 5-6 of 9. To read on, call read_file with offset=7 and limit=2000.
5 | a5
6 | a6

---

File: b.txt
1 | b1

---

File: missing
Error: 'missing': there is no such file.\
"""
    )
