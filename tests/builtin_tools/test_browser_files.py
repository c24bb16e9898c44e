from pathlib import Path

import pytest

from roo_code.builtin_tools.browser_files import address
from roo_code.errors import ToolError
from roo_code.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a b.html").write_bytes(b"")
    (root / ".rooignore").write_bytes(b"hidden.html\n")
    (root / "hidden.html").write_bytes(b"")
    (root / "out.html").symlink_to("/etc/passwd")
    return Workspace(root)


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("https://example.com/x?y#z", "https://example.com/x?y#z"),
        ("HTTP://example.com", "HTTP://example.com"),
        ("example.com", "https://example.com"),
        ("example.com:8080/x", "https://example.com:8080/x"),
        ("localhost:3000", "http://localhost:3000"),
        (" 127.0.0.1:8000/x ", "http://127.0.0.1:8000/x"),
        ("about:blank", "about:blank"),
        ("data:text/html,hi", "data:text/html,hi"),
    ],
)
def test_addresses_of_the_web_may_be_short(workspace: Workspace, url: str, opened: str) -> None:
    assert address(url, workspace) == opened


def test_files_may_be_named_as_paths_and_as_addresses(workspace: Workspace) -> None:
    there = (workspace.root / "a b.html").as_uri()
    assert address("a b.html", workspace) == there
    assert address("a b.html#top", workspace) == f"{there}#top"
    assert address(str(workspace.root / "a b.html"), workspace) == there
    assert address(f"{there}?q=1#top", workspace) == f"{there}?q=1#top"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "file://localhost/etc/passwd",
        "file://elsewhere/etc/passwd",
        "FILE:///etc/passwd",
        "file:///proc/self/environ",
        "out.html",
        "hidden.html",
        ".rooignore",
        "../../../../../../../../../etc/passwd",
        "/etc/passwd",
        "view-source:file:///etc/passwd",
        "chrome://settings",
        "javascript:alert(1)",
        "filesystem:file:///etc/passwd",
    ],
)
def test_nothing_else_is_opened(workspace: Workspace, url: str) -> None:
    with pytest.raises(ToolError):
        address(url, workspace)
