"""A workspace holds links to the user's secrets: no everyday command may follow one unasked."""

from pathlib import Path

import pytest

from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace

DEVELOPER = ShellRules(profile="developer")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """As one that was cloned: `notes.md` and `docs/keys` are links out of it."""
    secrets = tmp_path / "home" / ".ssh"
    secrets.mkdir(parents=True)
    (secrets / "id_rsa").write_text("secret")
    root = tmp_path / "workspace"
    (root / "docs").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src" / "a.py").touch()
    (root / "src" / "same.py").symlink_to("a.py")
    (root / "notes.md").symlink_to(secrets / "id_rsa")
    (root / "docs" / "keys").symlink_to(secrets)
    return root


def decided(line: str, workspace: Path) -> str:
    return judge(line, DEVELOPER, Places(Workspace(workspace))).decision


@pytest.mark.parametrize(
    "line",
    [
        "cat notes.md",
        "cat docs/keys/id_rsa",
        "cat *",
        "cat *.md",
        "cat n?tes.md",
        "head -5 [n]otes.md",
        "cat docs/*/id_rsa",
        "cat d*/*/id_rsa",
        "cat */keys/*",
        "cd docs && cat */id_rsa",
        "grep secret *",
        "grep -R secret .",
        "grep -nR secret .",
        "grep --dereference-recursive secret .",
        "rg -L secret",
        "rg --follow secret",
        "find -L . -name id_rsa -exec cat {} +",
        "find . -follow -type f",
        "fd -L id_rsa",
        "fd --base-directory / passwd",
        "fd -C / passwd",
        "diff -r docs src",
        "tree -l",
        'for f in *.md; do cat "$f"; done',
        'for f in docs/*/*; do cat "$f"; done',
        "wc -c < notes.md",
    ],
)
def test_a_link_out_is_not_followed_unasked(line: str, workspace: Path) -> None:
    assert decided(line, workspace) == "ask"


@pytest.mark.parametrize(
    "line",
    ["cat src/*", "grep -rn a src/*.py", "wc -l src/*.py", "ls s*",
     'for f in src/*.py; do cat "$f"; done', "grep -rn secret .", "find . -name '*.py'"],
)  # fmt: skip
def test_links_that_stay_inside_are_no_reason_to_ask(line: str, workspace: Path) -> None:
    assert decided(line, workspace) == "allow"


def test_a_folder_that_is_too_full_to_look_at_is_asked_about(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roo_code.policy.shell.places._MOST_ENTRIES", 1)
    assert decided("cat src/*", workspace) == "ask"


def test_a_pattern_does_not_reach_what_the_user_hides(workspace: Path) -> None:
    (workspace / ".rooignore").write_text("src/a.py\n")
    assert decided("cat src/*", workspace) == "ask"
    assert decided("cat src/b*", workspace) == "allow"
