"""Git runs what a repository names; each way must be seen, and plain repositories let through."""

import os
import subprocess
from pathlib import Path

import pytest

from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace

DEVELOPER = ShellRules(profile="developer")
LISTED = ShellRules(("git",))


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(
        ["git", *names, *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    git(folder, "add", "a.txt")
    git(folder, "commit", "-qm", "first")
    return folder


def decided(line: str, workspace: Path, rules: ShellRules = DEVELOPER) -> str:
    return judge(line, rules, Places(Workspace(workspace))).decision


def test_in_a_plain_repository_git_may_look_and_commit(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "https://example.com/a.git")
    git(repository, "branch", "side")
    (repository / "sub").mkdir()
    for line in ("git status", "git diff", "git log -p", "git add . && git commit -m x"):
        assert decided(line, repository) == "allow"
        assert decided(f"cd sub && {line}", repository) == "allow"
        assert decided(line, repository / "sub") == "allow"
    assert decided("git status", repository, LISTED) == "allow"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "./evil"),
        ("core.pager", "./evil"),
        ("core.sshCommand", "./evil"),
        ("core.worktree", "/"),
        ("diff.external", "./evil"),
        ("diff.x.textconv", "./evil"),
        ("diff.x.command", "./evil"),
        ("filter.x.clean", "./evil"),
        ("filter.lfs.clean", "./evil"),
        ("gpg.program", "./evil"),
        ("include.path", "../evil"),
        ("includeIf.gitdir:/.path", "../evil"),
        ("alias.status", "!./evil"),
        ("pager.log", "./evil"),
        ("credential.helper", "!./evil"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
    ],
)
@pytest.mark.parametrize("rules", [DEVELOPER, LISTED])
def test_settings_that_name_a_program_are_asked_about(
    repository: Path, key: str, value: str, rules: ShellRules
) -> None:
    git(repository, "config", key, value)
    for line in ("git status", "git log -p", "git diff"):
        assert decided(line, repository, rules) == "ask"


def test_the_file_is_read_as_git_reads_it_or_not_at_all(repository: Path) -> None:
    config = repository / ".git" / "config"
    for text in (
        "[core] fsmonitor = ./evil\n",
        "[core]\nbare = false \\\n[x]\n",
        "[CORE]\n\tFsMonitor=./evil\n",
        '[diff "a\\"]b"]\ncommand=./evil\n',
        "[diff.x]\ncommand=./evil\n",
        "\ufeff[core]\nfsmonitor=./evil\n",
        "[core]\rfsmonitor=./evil\r",
    ):
        config.write_text(text)
        assert decided("git status", repository) == "ask", text
    config.unlink()
    os.mkfifo(config)
    assert decided("git status", repository) == "ask"


def test_what_git_lfs_and_file_monitors_of_git_itself_write_is_let_through(
    repository: Path,
) -> None:
    git(repository, "config", "filter.lfs.clean", "git-lfs clean -- %f")
    git(repository, "config", "filter.lfs.required", "true")
    git(repository, "config", "core.fsmonitor", "true")
    assert decided("git status", repository) == "allow"


def test_hooks_are_asked_about_where_they_would_run(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n./evil\n")
    hook.chmod(0o755)
    assert decided("git status", repository) == "allow"
    assert decided("git commit -m x", repository) == "ask"
    assert decided("git commit -m x", repository, ShellRules(("git commit",))) == "allow"
    hook.rename(hook.with_name("post-index-change"))
    assert decided("git status", repository) == "ask"


def test_hooks_in_a_folder_of_the_project_are_hooks(repository: Path) -> None:
    git(repository, "config", "core.hooksPath", ".husky")
    assert decided("git commit -m x", repository) == "ask"
    assert decided("git status", repository) == "allow"
    hook = repository / ".husky" / "post-index-change"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\n./evil\n")
    hook.chmod(0o755)
    assert decided("git status", repository) == "ask"
    git(repository, "config", "--unset", "core.hooksPath")
    assert decided("git commit -m x", repository) == "allow"


@pytest.mark.parametrize("workspace", [".", "x", "x/y"])
def test_a_folder_that_the_model_made_a_repository_is_not_taken_for_one(
    tmp_path: Path, workspace: str
) -> None:
    bare = tmp_path / "x"
    for folder in ("objects", "refs", "y"):
        (bare / folder).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\nbare = false\nworktree = ..\nfsmonitor = ./evil\n")
    line = "cd x && git status" if workspace == "." else "git status"
    assert decided(line, tmp_path / workspace) == "ask"


def test_a_file_that_names_a_repository_is_followed(tmp_path: Path, repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../tree")
    assert decided("git status", tmp_path / "tree") == "allow"
    git(repository, "config", "core.fsmonitor", "./evil")
    assert decided("git status", tmp_path / "tree") == "ask"
    (tmp_path / "tree" / ".git").write_text("nowhere")
    assert decided("git status", tmp_path / "tree") == "ask"


def test_submodules_are_looked_into_named_in_gitmodules_or_not(
    tmp_path: Path, repository: Path
) -> None:
    git(tmp_path, "clone", "-q", str(repository), "other")
    git(repository, "submodule", "add", "-q", "../other", "module")
    git(repository, "commit", "-qm", "module")
    assert decided("git status", repository) == "allow"
    git(repository / "module", "config", "core.fsmonitor", "./evil")
    assert decided("git status", repository) == "ask"
    (repository / ".gitmodules").unlink()
    assert decided("git status", repository) == "ask"
