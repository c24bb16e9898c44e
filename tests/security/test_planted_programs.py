"""Programs that stand in the workspace run only where they can do no harm, by whatever name."""

import subprocess
import sys
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.mentions.git import Git
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.sandbox.chosen_sandbox import confinement_of, open_chosen_sandbox
from roo_code.workspace.workspace import Workspace
from tests.sandbox.box import works_here

DEVELOPER = ShellRules(profile="developer")
LINES = {
    "git": "git status",
    "gh": "gh pr list",
    "timeout": "timeout 5 ls",
    "xargs": "ls | xargs wc",
    "git-lfs": "git add .",
    "gzip": "tar tzf a.tgz",
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its virtual environment is active, as a shell has it from which roo is started."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return tmp_path


@pytest.mark.parametrize("name", ["ls", "git", "gh", "cat", "timeout", "xargs", "git-lfs", "gzip"])
def test_a_planted_program_counts_as_code_of_the_project(workspace: Path, name: str) -> None:
    line = LINES.get(name, name)
    before = judge(line, DEVELOPER, Places(Workspace(workspace)))
    assert (before.decision, before.runs_project) == ("allow", False)
    planted = workspace / ".venv" / "bin" / name
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    after = judge(line, DEVELOPER, Places(Workspace(workspace)))
    assert (after.decision, after.runs_project) == ("allow", True)


@pytest.mark.parametrize(
    "line",
    [
        "yarn --version", "cargo --version", "rustc --version", "mvn -v", "node --version",
        "make", "npm test", "pytest", ".venv/bin/pytest", "source .venv/bin/activate",
        "npx eslint .", "python -m pytest", "env CI=1 npm test", "bash -c 'make'", "ls && make",
        "cd sub && pytest", "find . -name x -exec make {} +", "tsc -p .", "ruff check .",
    ],
)  # fmt: skip
def test_whatever_runs_what_stands_there_is_known_to(workspace: Path, line: str) -> None:
    verdict = judge(line, DEVELOPER, Places(Workspace(workspace)))
    assert verdict.decision == "ask" or verdict.runs_project
    without = ShellRules(profile="developer", runs_project=False)
    assert judge(line, without, Places(Workspace(workspace))).decision == "ask"


async def test_programs_that_we_start_ourselves_are_not_taken_from_the_workspace(
    workspace: Path,
) -> None:
    for name in ("bwrap", "env", "prlimit", "timeout", "git"):
        planted = workspace / ".venv" / "bin" / name
        planted.write_text(f"#!/bin/sh\ntouch {workspace}/harm\n")
        planted.chmod(0o755)
    confinement_of(workspace, {"sandbox": "required"})
    with pytest.raises(ToolError, match="no git repository"):
        await Git(Workspace(workspace)).changes()
    assert not (workspace / "harm").exists()


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
def test_the_environment_we_run_in_cannot_be_changed_from_the_sandbox(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(workspace / ".venv"))
    sandbox = open_chosen_sandbox({"sandbox": "required"}, workspace)
    line = "touch here .venv/bin/roo; mv .venv away; rm -rf .venv"
    command = sandbox.wrap(["/bin/sh", "-c", line], cwd=workspace, environment={})
    subprocess.run(
        command.argv, env=command.environment, cwd=workspace, check=False, start_new_session=True,
        capture_output=True,
    )  # fmt: skip
    sandbox.close()
    assert sorted(path.name for path in workspace.rglob("*")) == [".venv", "bin", "here"]
