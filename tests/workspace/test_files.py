import errno
import os
import stat
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.workspace import files
from roo_code.workspace.files import LARGEST_FILE, digest, read_bytes, read_state, replace_file


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    replace_file(tmp_path, tmp_path / "a" / "b" / "c.txt", b"new")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"new"


def test_a_new_file_has_the_rights_the_user_gives_new_files(tmp_path: Path) -> None:
    replace_file(tmp_path, tmp_path / "ours", b"")
    (tmp_path / "theirs").write_bytes(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4744])
def test_a_replaced_file_keeps_its_rights(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "script"
    file.write_bytes(b"old")
    file.chmod(mode)
    replace_file(tmp_path, file, b"new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", mode)


def test_a_file_marked_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(ToolError, match="read-only"):
        replace_file(tmp_path, file, b"new")
    assert file.read_bytes() == b"old"


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ToolError, match="is a folder"):
        replace_file(tmp_path, tmp_path / "folder", b"new")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_file_and_the_folder_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(*args: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path, file, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_a_reader_never_sees_a_part(tmp_path: Path) -> None:
    """The old file stays whole for who has it open: it is not written into."""
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with file.open("rb") as reader:
        replace_file(tmp_path, file, b"brand new")
        assert reader.read() == b"old"


def test_a_file_is_read_with_what_tells_it_from_its_next_version(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert read_state(tmp_path, file) is None
    assert read_bytes(tmp_path, file) is None
    file.write_bytes(b"old")
    before = read_state(tmp_path, file)
    replace_file(tmp_path, file, b"new")
    after = read_state(tmp_path, file)
    assert before is not None
    assert after is not None
    assert (before.data, after.data) == (b"old", b"new")
    assert before.version != after.version


def test_a_file_too_large_to_edit_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ToolError, match="too many to edit"):
        read_state(tmp_path, tmp_path / "file")


def test_a_digest_is_short_and_differs_with_the_content() -> None:
    assert len(digest(b"")) == 32
    assert digest(b"a") == digest(b"a") != digest(b"b")
