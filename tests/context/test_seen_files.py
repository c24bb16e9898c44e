"""Files that change behind the agent's back."""

from pathlib import Path

import pytest

from roo_code.context.seen_files import SeenFiles
from roo_code.workspace.files import digest
from roo_code.workspace.workspace import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one")
    (folder / "b.txt").write_bytes(b"two")
    return folder


def seen(folder: Path) -> dict[str, str]:
    return {name: digest((folder / name).read_bytes()) for name in ("a.txt", "b.txt")}


def test_what_is_as_it_was_is_no_news(folder: Path) -> None:
    news = SeenFiles(Workspace(folder)).news(seen(folder))
    assert news == ([], [], {})


def test_a_change_and_a_deletion_are_told_once(folder: Path) -> None:
    files, noted = SeenFiles(Workspace(folder)), seen(folder)
    (folder / "a.txt").write_bytes(b"three")
    (folder / "b.txt").unlink()
    news = files.news(noted)
    assert (news.changed, news.gone) == (["a.txt"], ["b.txt"])
    noted |= news.digests
    assert files.news(noted) == ([], [], {})
    assert SeenFiles(Workspace(folder)).news(noted) == ([], [], {}), "nor after a restart"
    assert noted["a.txt"] != digest(b"three"), "it was told of, not seen: an edit is still refused"


def test_a_second_change_is_told_again(folder: Path) -> None:
    files, noted = SeenFiles(Workspace(folder)), seen(folder)
    (folder / "a.txt").write_bytes(b"three")
    noted |= files.news(noted).digests
    (folder / "a.txt").write_bytes(b"four!")
    assert files.news(noted).changed == ["a.txt"]


def test_what_comes_back_is_a_change(folder: Path) -> None:
    files, noted = SeenFiles(Workspace(folder)), seen(folder)
    (folder / "b.txt").unlink()
    noted |= files.news(noted).digests
    (folder / "b.txt").write_bytes(b"back")
    assert files.news(noted).changed == ["b.txt"]


def test_a_file_that_is_written_as_it_was_is_no_news(folder: Path) -> None:
    files, noted = SeenFiles(Workspace(folder)), seen(folder)
    assert files.news(noted).changed == []
    (folder / "new").write_bytes(b"one")
    (folder / "new").replace(folder / "a.txt")
    assert files.news(noted).changed == []


def test_what_cannot_be_looked_at_is_no_news(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "outside")
    (folder / "b.txt").unlink()
    (folder / "b.txt").mkdir()
    noted = {"a.txt": digest(b"one"), "b.txt": digest(b"two"), "n\0l": "x"}
    assert SeenFiles(Workspace(folder)).news(noted) == ([], [], {})
