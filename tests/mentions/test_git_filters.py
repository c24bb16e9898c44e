"""Programs that a repository has read its files: a diff would start them, and does not."""

from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.mentions.git import Git
from roo_code.workspace.workspace import Workspace
from tests.mentions.repositories import git, repository


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    return tmp_path / "proof"


def filtered(folder: Path, name: str, proof: Path, kind: str) -> Git:
    """A repository whose filter of this name leaves a proof when it runs."""
    repository(folder, a="one\n")
    git(folder, "config", f"filter.{name}.{kind}", f"touch {proof}; cat")
    git(folder, "config", f"filter.{name}.required", "true")
    (folder / ".git" / "info" / "attributes").write_text(f"* filter={name}\n")
    (folder / "a").write_text("uno\n")
    return Git(Workspace(folder))


@pytest.mark.parametrize("kind", ["clean", "process"])
@pytest.mark.parametrize("name", ["plain", "With.Dots", "umlaut-ü"])
async def test_no_filter_runs_and_the_changes_are_told(
    tmp_path: Path, proof: Path, name: str, kind: str
) -> None:
    told = await filtered(tmp_path / "project", name, proof, kind).changes()
    assert "-one\n+uno" in told
    assert not proof.exists()


async def test_a_filter_that_cannot_be_turned_off_by_name_is_not_asked_for(
    tmp_path: Path, proof: Path
) -> None:
    asking = filtered(tmp_path / "project", "a=b", proof, "clean")
    with pytest.raises(ToolError, match="filters whose names"):
        await asking.changes()
    assert not proof.exists()


async def test_without_us_such_a_filter_does_run(tmp_path: Path, proof: Path) -> None:
    filtered(tmp_path / "project", "plain", proof, "clean")
    git(tmp_path / "project", "diff")
    assert proof.exists()
