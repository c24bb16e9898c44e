import os
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.workspace.files import read_bytes, replace_file
from roo_code.workspace.opening import folder_of, open_file, told_plainly


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"secret")
    return outside


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "a").mkdir(parents=True)
    (home / "a" / "file.txt").write_bytes(b"text")
    return home


@pytest.mark.requirement("security:files:confined")
def test_a_folder_swapped_for_a_link_after_the_check_leads_nowhere(
    home: Path, outside: Path
) -> None:
    checked = home / "a" / "secret.txt"
    (home / "a" / "file.txt").unlink()
    (home / "a").rmdir()
    (home / "a").symlink_to(outside)
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        open_file(home, checked)
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        replace_file(home, checked, b"overwritten")
    assert (outside / "secret.txt").read_bytes() == b"secret"


@pytest.mark.requirement("security:files:confined")
def test_a_file_swapped_for_a_link_after_the_check_leads_nowhere(home: Path, outside: Path) -> None:
    checked = home / "a" / "file.txt"
    checked.unlink()
    checked.symlink_to(outside / "secret.txt")
    with pytest.raises(OSError, match="symbolic links"):
        open_file(home, checked)
    with pytest.raises(ToolError, match="not a regular file"):
        replace_file(home, checked, b"overwritten")
    assert (outside / "secret.txt").read_bytes() == b"secret"


def test_only_regular_files_are_opened(home: Path) -> None:
    os.mkfifo(home / "pipe")
    with pytest.raises(ToolError, match="not a file"):
        open_file(home, home / "pipe")
    for folder in (home, home / "a"):
        with pytest.raises(IsADirectoryError):
            open_file(home, folder)


def test_no_descriptor_is_left_open(home: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(FileNotFoundError):
        open_file(home, home / "a" / "missing")
    with pytest.raises(NotADirectoryError):
        open_file(home, home / "a" / "file.txt" / "below")
    os.close(open_file(home, home / "a" / "file.txt"))
    replace_file(home, home / "b" / "c", b"")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_folders_made_for_a_write_that_fails_are_removed(home: Path) -> None:
    def fail_inside() -> None:
        with folder_of(home, home / "new" / "newer" / "file", create=True):
            assert (home / "new" / "newer").is_dir()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_inside()
    assert sorted(path.name for path in home.iterdir()) == ["a"]


def test_lasting_system_errors_are_told_and_passing_ones_are_not() -> None:
    missing = pytest.raises(ToolError, match=r"'a.txt': there is no such file\.")
    with missing, told_plainly("a.txt"):
        raise FileNotFoundError(2, "No such file")
    with pytest.raises(InterruptedError), told_plainly("a.txt"):
        raise InterruptedError(4, "Interrupted")


def test_a_missing_file_has_no_bytes(home: Path) -> None:
    assert read_bytes(home, home / "a" / "missing") is None
    assert read_bytes(home, home / "a" / "file.txt") == b"text"
