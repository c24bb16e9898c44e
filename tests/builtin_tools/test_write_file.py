import json
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from roo_code.builtin_tools import write_file
from roo_code.workspace.text import with_newlines
from tests.builtin_tools.calls import Caller


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.requirement("tools:write-to-file:create-overwrite")
async def test_a_file_is_created(caller: Caller) -> None:
    content = "print('Hello, World!')\n"
    result = await caller.call("write_to_file", path="hello.py", content=content, line_count=1)
    assert json.loads(result.content) == snapshot(
        {
            "path": "hello.py",
            "operation": "created",
            "notice": "Successfully created hello.py (1 line). The file holds exactly this "
            "content now; there is no need to read it again.",
        }
    )
    assert (caller.folder / "hello.py").read_text(encoding="utf-8") == content


@pytest.mark.requirement("tools:write-to-file:create-overwrite")
async def test_missing_folders_are_made_and_a_file_is_replaced_whole(caller: Caller) -> None:
    await caller.call("write_to_file", path="a/b/c.txt", content="one\ntwo\nthree\n")
    result = await caller.call("write_file", file_path="a/b/c.txt", contents="four\n")
    assert json.loads(result.content)["operation"] == "modified"
    assert "Successfully modified a/b/c.txt" in result.content
    assert (caller.folder / "a/b/c.txt").read_bytes() == b"four\n"
    assert names(caller.folder) == ["a", "a/b", "a/b/c.txt"]


@pytest.mark.requirement("tools:write-to-file:truncation")
@pytest.mark.parametrize(("lines", "claimed"), [(3, 100), (1, 3), (79, 100), (0, 10)])
async def test_content_that_was_cut_off_is_refused(
    caller: Caller, lines: int, claimed: int
) -> None:
    (caller.folder / "a.txt").write_bytes(b"as it was")
    result = await caller.call(
        "write_to_file", path="a.txt", content="x\n" * lines, line_count=claimed
    )
    assert result.is_error
    assert f"has {lines} lines but line_count says {claimed}" in result.content
    assert (caller.folder / "a.txt").read_bytes() == b"as it was"


@pytest.mark.parametrize(("lines", "claimed"), [(10, 10), (9, 10), (1, 2), (10, 3), (80, 100)])
async def test_a_count_that_is_only_a_little_off_is_forgiven(
    caller: Caller, lines: int, claimed: int
) -> None:
    result = await caller.call(
        "write_to_file", path="a.txt", content="x\n" * lines, line_count=str(claimed)
    )
    assert not result.is_error
    assert (caller.folder / "a.txt").read_bytes() == b"x\n" * lines


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", "é\r\nü\r\n".encode()),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbf" + "é\nü\n".encode()),
        ("\ufeffa\r\n".encode("utf-16-le"), "\ufeffé\r\nü\r\n".encode("utf-16-le")),
        ("à\n".encode("latin-1"), "é\nü\n".encode("latin-1")),
        (b"", "é\nü\n".encode()),
        (b"\0\1\2", "é\nü\n".encode()),
    ],
)
async def test_a_file_keeps_its_encoding_and_line_endings(
    caller: Caller, before: bytes, after: bytes
) -> None:
    (caller.folder / "a.txt").write_bytes(before)
    await caller.call("write_to_file", path="a.txt", content="é\nü\n")
    assert (caller.folder / "a.txt").read_bytes() == after


async def test_characters_the_old_encoding_lacks_make_the_file_utf_8(caller: Caller) -> None:
    (caller.folder / "a.txt").write_bytes("à\n".encode("latin-1"))
    result = await caller.call("write_to_file", path="a.txt", content="à€\n")
    assert (caller.folder / "a.txt").read_bytes() == "à€\n".encode()
    assert "UTF-8 now" in result.content


async def test_half_a_character_is_refused(caller: Caller) -> None:
    result = await caller.call("write_to_file", path="a.txt", content="ab\ud83d")
    assert result.is_error
    assert "position 2" in result.content
    assert names(caller.folder) == []


@pytest.mark.parametrize(
    ("path", "content", "written"),
    [
        ("a.py", "```python\nx = 1\n```", "x = 1\n"),
        ("a.py", "```\nx = 1\n```\n", "x = 1\n"),
        ("a.py", "```\n```", ""),
        ("a.py", "x = '''\n```\n'''", "x = '''\n```\n'''"),
        ("a.md", "```sh\nls\n```\n", "```sh\nls\n```\n"),
        ("a.md", "```markdown\n# Title\n```", "# Title\n"),
        ("a.py", "1 | x = 1\n2 | y = 2\n", "x = 1\ny = 2\n"),
        ("a.py", "```\n 9 | x = 1\n10 | \n```", "x = 1\n\n"),
        ("a.txt", "3 | a\n1 | b\n", "3 | a\n1 | b\n"),
    ],
)
async def test_what_models_wrap_around_content_is_taken_off(
    caller: Caller, path: str, content: str, written: str
) -> None:
    result = await caller.call("write_to_file", path=path, content=content)
    assert (caller.folder / path).read_bytes() == written.encode()
    assert ("removed" in result.content) == (written != content)


async def test_a_script_stays_executable(caller: Caller) -> None:
    script = caller.folder / "run.sh"
    script.write_bytes(b"old")
    script.chmod(0o755)
    await caller.call("write_to_file", path="run.sh", content="new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


async def test_a_link_stays_a_link(caller: Caller) -> None:
    (caller.folder / "real.txt").write_bytes(b"old")
    (caller.folder / "link.txt").symlink_to("real.txt")
    await caller.call("write_to_file", path="link.txt", content="new")
    assert (caller.folder / "link.txt").is_symlink()
    assert (caller.folder / "real.txt").read_bytes() == b"new"


async def test_the_same_content_is_not_written_again(caller: Caller) -> None:
    file = caller.folder / "a.txt"
    file.write_bytes(b"same\r\n")
    before = file.stat()
    result = await caller.call("write_to_file", path="a.txt", content="same\n")
    assert "nothing was written" in result.content
    assert file.stat().st_ino == before.st_ino


@pytest.mark.requirement("security:files:confined")
async def test_nothing_outside_the_workspace_is_written(caller: Caller) -> None:
    outside = caller.folder.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"old")
    (caller.folder / "folder").symlink_to(outside)
    (caller.folder / "file").symlink_to(outside / "a.txt")
    (caller.folder / "dangling").symlink_to(outside / "new.txt")
    artifact = caller.artifacts.write("cmd-1.txt", b"kept")
    paths = ["../outside/a.txt", "folder/a.txt", "file", "dangling", "folder/n/x", str(artifact)]
    for path in paths:
        result = await caller.call("write_to_file", path=path, content="new")
        assert result.is_error
        assert "outside the workspace" in result.content
    assert names(outside) == ["a.txt"]
    assert (outside / "a.txt").read_bytes() == b"old"
    assert artifact.read_bytes() == b"kept"


async def test_a_failure_says_why_and_changes_nothing(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    (caller.folder / "file").write_bytes(b"old")
    (caller.folder / "folder").mkdir()
    for path, why in (("file/below", "not a folder"), ("folder", "folder"), (".", "folder")):
        result = await caller.call("write_to_file", path=path, content="new")
        assert result.is_error
        assert why in result.content

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write_file, "replace_file", fail)
    result = await caller.call("write_to_file", path="file", content="new")
    assert (result.content, result.is_error) == ("'file': the disk is full.", True)
    assert (caller.folder / "file").read_bytes() == b"old"


@pytest.mark.requirement("tools:input:schema-checked")
async def test_missing_content_is_named_and_nothing_is_written(caller: Caller) -> None:
    result = await caller.call("write_to_file", path="a.txt", content=None)
    assert result.is_error
    assert "content: Field required" in result.content
    assert names(caller.folder) == []


@given(
    content=st.text(st.characters(exclude_categories=["Cs"])),
    newline=st.sampled_from(["\n", "\r\n"]),
)
@settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
async def test_what_was_sent_is_what_is_there(caller: Caller, content: str, newline: str) -> None:
    caller.seen_files.clear()
    content = f"x{content}"  # neither fence nor line number
    file = caller.folder / "a.txt"
    file.write_bytes(f"before{newline}".encode())
    await caller.call("write_to_file", path="a.txt", content=content)
    kept = with_newlines(content, "\r\n" if newline == "\r\n" else "\n")
    assert file.read_bytes().decode() == kept
