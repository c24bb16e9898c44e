from pathlib import Path

import pytest

from roo_code.errors import NotAllowed
from roo_code.json_text import from_json
from roo_code.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "secrets").mkdir(parents=True)
    (root / "secrets" / "key").write_text("k", encoding="utf-8")
    (root / "a.txt").write_text("a", encoding="utf-8")
    (root / ".rooignore").write_text("secrets/\n*.env\n", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "path",
    ["secrets", "secrets/key", "secrets/new", "./secrets/../secrets/key", "x/y.env", ".rooignore"],
)
def test_ignored_paths_are_refused_to_every_tool(root: Path, path: str) -> None:
    workspace = Workspace(root)
    for resolve in (workspace.resolve, workspace.resolve_readable):
        with pytest.raises(NotAllowed) as caught:
            resolve(path)
        told = from_json(str(caught.value))
        assert told.keys() == {"status", "type", "message", "path", "suggestion"}
        assert (told["status"], told["type"], told["path"]) == ("error", "access_denied", path)


def test_all_else_is_allowed(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, readable=(tmp_path / "kept",))
    assert workspace.resolve("a.txt") == root / "a.txt"
    assert workspace.resolve(".") == root
    assert workspace.resolve_readable(str(tmp_path / "kept" / "a.env")).name == "a.env"
    assert not workspace.rooignore.hides(str(tmp_path / "kept" / "a.env"))


def test_links_are_judged_by_where_they_lead_and_by_their_own_name(root: Path) -> None:
    (root / "link").symlink_to("secrets/key")
    (root / "folder").symlink_to("secrets")
    (root / "b.env").symlink_to("a.txt")
    for path in ("link", "folder/key", "b.env"):
        with pytest.raises(NotAllowed, match="access_denied"):
            Workspace(root).resolve(path)


def test_a_change_of_the_file_counts_at_once(root: Path) -> None:
    workspace = Workspace(root)
    with pytest.raises(NotAllowed):
        workspace.resolve("a.env")
    (root / ".rooignore").write_text("*.txt\n", encoding="utf-8")
    assert workspace.resolve("a.env")
    with pytest.raises(NotAllowed):
        workspace.resolve("a.txt")
    (root / ".rooignore").unlink()
    assert workspace.resolve("a.txt")
    assert workspace.resolve(".rooignore")


@pytest.mark.parametrize("content", [b"ok\na[\n", b"!", b"#" * (2 << 20)])
def test_a_file_that_cannot_be_understood_lets_nothing_through(root: Path, content: bytes) -> None:
    (root / ".rooignore").write_bytes(content)
    for _ in range(2):
        with pytest.raises(NotAllowed, match="cannot be used"):
            Workspace(root).resolve("a.txt")


def test_a_file_that_cannot_be_read_lets_nothing_through(root: Path) -> None:
    (root / ".rooignore").unlink()
    (root / ".rooignore").mkdir()
    with pytest.raises(NotAllowed, match="cannot be used: it is not a file"):
        Workspace(root).resolve("a.txt")


def test_the_notice_tells_the_patterns(root: Path) -> None:
    notice = Workspace(root).rooignore.notice()
    assert "secrets/\n*.env" in notice
    assert "\N{LOCK}" in notice
    (root / ".rooignore").unlink()
    assert Workspace(root).rooignore.notice() == ""
