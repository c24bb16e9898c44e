import os
import subprocess
from pathlib import Path

import pytest

from roo_code.sandbox.chosen_sandbox import chosen_policy, open_chosen_sandbox
from roo_code.sandbox.worktrees import repository_of, submodules_of
from tests.sandbox.box import works_here

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "ada"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.org"),
}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, check=True)


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", ".")
    (main / "file").write_text("one\n")
    git(main, "add", "file")
    git(main, "commit", "-qm", "first")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    return tmp_path / "tree"


def test_a_worktree_leads_to_its_repository(worktree: Path) -> None:
    assert repository_of(worktree) == worktree.parent / "main" / ".git"
    assert repository_of(worktree.parent / "main") is None
    assert repository_of(worktree.parent) is None


def test_a_link_that_is_not_returned_leads_nowhere(worktree: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_text((worktree / ".git").read_text())
    assert repository_of(forged) is None
    (forged / ".git").write_text("gitdir: /root/.ssh\n")
    assert repository_of(forged) is None
    (forged / ".git").write_bytes(b"\xff\xfe")
    assert repository_of(forged) is None


def test_a_workspace_that_keeps_its_own_return_link_shows_no_repository_of_others(
    worktree: Path, tmp_path: Path
) -> None:
    forged = tmp_path / "forged"
    kept = forged / "kept"
    kept.mkdir(parents=True)
    (forged / ".git").write_text("gitdir: kept\n")
    (kept / "gitdir").write_text(f"{forged / '.git'}\n")
    (kept / "commondir").write_text(f"{tmp_path / 'main' / '.git'}\n")
    assert repository_of(forged) is None


def test_submodules_are_those_below_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").write_text(
        '[submodule "a"]\n\tpath = libs/a\n\turl = x\n[submodule "b"]\npath="b c"\n'
        "path = ../out\npath = /etc\npath = .\n"
    )
    assert [*submodules_of(tmp_path)] == ["libs/a", "b c"]
    policy = chosen_policy({}, tmp_path, {})
    assert {"libs/a/.git", "b c/.git"} <= {*policy.protected}
    assert [*submodules_of(tmp_path / "none")] == []


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
def test_git_shows_changes_in_a_worktree_and_cannot_change_the_repository(worktree: Path) -> None:
    (worktree / "file").write_text("two\n")
    sandbox = open_chosen_sandbox({"sandbox": "required"}, worktree)
    hooks = worktree.parent / "main" / ".git" / "hooks"
    argv = ["/bin/sh", "-c", f"git status --short; git log --format=%s; echo x > {hooks}/new"]
    command = sandbox.wrap(argv, cwd=worktree, environment=ENVIRONMENT)
    ran = subprocess.run(
        command.argv, env=command.environment, cwd=worktree, capture_output=True, text=True,
        check=False, start_new_session=True,
    )  # fmt: skip
    sandbox.close()
    assert ran.stdout == " M file\nfirst\n"
    assert not (hooks / "new").exists()
