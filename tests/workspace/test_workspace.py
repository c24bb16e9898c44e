import os
from pathlib import Path

import pytest

from roo_code.errors import NotAllowed, ToolError
from roo_code.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    return root


@pytest.mark.parametrize("path", ["src/a.py", "./src/../src/a.py", "src//a.py"])
def test_a_path_in_the_workspace_is_resolved(root: Path, path: str) -> None:
    workspace = Workspace(root)
    assert workspace.resolve(path) == root / "src" / "a.py"
    assert workspace.relative(workspace.resolve(path)) == "src/a.py"


def test_an_absolute_path_in_the_workspace_is_resolved(root: Path) -> None:
    assert Workspace(root).resolve(str(root / "a.py")) == root / "a.py"
    assert Workspace(root).resolve(".") == root


@pytest.mark.requirement("security:files:confined")
@pytest.mark.parametrize("path", ["..", "../root2/a", "src/../../elsewhere", "/etc/passwd", "~"])
def test_a_path_outside_is_refused(root: Path, path: str) -> None:
    with pytest.raises(NotAllowed, match="outside the workspace"):
        Workspace(root).resolve(path)


@pytest.mark.requirement("security:files:confined")
def test_a_link_that_leads_outside_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "folder").symlink_to(tmp_path / "elsewhere")
    (root / "file").symlink_to("/etc/passwd")
    (root / "chain").symlink_to("file")
    for path in ("folder/new.txt", "file", "chain", "src/../folder/x"):
        with pytest.raises(NotAllowed):
            Workspace(root).resolve(path)


def test_a_link_inside_the_workspace_is_followed(root: Path) -> None:
    (root / "link").symlink_to("src")
    assert Workspace(root).resolve("link/a.py") == root / "src" / "a.py"


def test_a_workspace_may_itself_be_a_link(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    workspace = Workspace(link)
    assert workspace.resolve("src/a.py") == root / "src" / "a.py"
    assert workspace.relative(root / "src" / "a.py") == "src/a.py"


def test_a_folder_may_be_readable_without_being_writable(root: Path, tmp_path: Path) -> None:
    artifacts = tmp_path / "elsewhere"
    workspace = Workspace(root, readable=(artifacts,))
    path = str(artifacts / "cmd-1.txt")
    assert workspace.resolve_readable(path) == Path(path)
    assert workspace.home_of(Path(path)) == artifacts
    with pytest.raises(NotAllowed):
        workspace.resolve(path)
    with pytest.raises(NotAllowed):
        workspace.home_of(tmp_path / "other")


@pytest.mark.parametrize("path", ["a\0b", "a\udfffb\ud800"])
def test_what_is_no_path_is_an_error(root: Path, path: str) -> None:
    with pytest.raises(ToolError, match="not a path"):
        Workspace(root).resolve(path)


def test_a_tilde_is_only_a_home_at_the_start(root: Path) -> None:
    assert Workspace(root).resolve("~backup/a") == root / "~backup" / "a"
    assert Workspace(Path.home()).resolve("~/a") == Path(os.path.realpath(Path.home())) / "a"
