"""What git is asked, and what it may not do or show."""

from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.mentions.git import MOST_LINES, Git, shortened
from roo_code.workspace.workspace import Workspace
from tests.mentions.repositories import commit, git, repository


def looking(folder: Path) -> Git:
    return Git(Workspace(folder))


async def test_changes_are_shown_as_status_and_diff(tmp_path: Path) -> None:
    repository(tmp_path, a="one\n", b="two\n")
    assert "no changes" in await looking(tmp_path).changes()
    (tmp_path / "a").write_text("uno\n")
    (tmp_path / "b").unlink()
    (tmp_path / "new file").write_text("three\n")
    told = await looking(tmp_path).changes()
    assert [line.split(None, 1)[0] for line in told.splitlines()[:3]] == ["M", "D", "??"]
    assert "-one\n+uno" in told
    assert "-two" in told
    assert "three" not in told


async def test_the_status_names_the_branch_and_as_many_files_as_wanted(tmp_path: Path) -> None:
    repository(tmp_path, a="one\n", secret="two\n")
    assert await looking(tmp_path).status(5) == "Git status: ## main"
    (tmp_path / "a").write_text("uno\n")
    (tmp_path / "secret").write_text("due\n")
    (tmp_path / "b").write_text("tre\n")
    (tmp_path / ".rooignore").write_text("secret\n")
    told = (await looking(tmp_path).status(1)).splitlines()
    assert told == ["Git status: ## main", " M a", "(and 1 more)"]


async def test_before_the_first_commit_there_are_changes_too(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a").write_text("one\n")
    git(tmp_path, "add", "a")
    told = await looking(tmp_path).changes()
    assert told.startswith("A  a")
    assert "+one" in told


async def test_a_commit_is_shown_with_its_message_and_diff(tmp_path: Path) -> None:
    repository(tmp_path, a="one\n")
    second = commit(tmp_path, "Say it in Italian", a="uno\n")
    told = await looking(tmp_path).commit(second[:8])
    assert told.startswith(f"Commit: {second}\n")
    assert "Author: Ada" in told
    assert "Say it in Italian" in told
    assert "1 file changed" in told
    assert "-one\n+uno" in told


async def test_what_is_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolError, match="no git repository"):
        await looking(tmp_path).changes()
    repository(tmp_path, a="one\n")
    with pytest.raises(ToolError, match="no commit 0123456"):
        await looking(tmp_path).commit("0123456")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="not installed"):
        await looking(tmp_path).changes()


async def test_only_what_lies_in_the_workspace_is_shown(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    first = repository(tmp_path, **{"outside": "one\n", "part/inside": "two\n"})
    (tmp_path / "outside").write_text("SECRET\n")
    (tmp_path / "part" / "inside").write_text("due\n")
    part = looking(tmp_path / "part")
    told = await part.changes()
    assert "+due" in told
    assert "outside" not in told
    assert "SECRET" not in told
    shown = await part.commit(first)
    assert "+two" in shown
    assert "outside" not in shown


async def test_what_rooignore_hides_is_left_out(tmp_path: Path) -> None:
    files = {"a": "one\n", "keys.txt": "OLD\n", "moved.txt": "long enough to be seen as moved\n"}
    first = repository(tmp_path, **files)
    (tmp_path / ".rooignore").write_text("keys.txt\nkept/\n")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "x").write_text("SECRET\n")
    (tmp_path / "a").write_text("uno\n")
    (tmp_path / "keys.txt").write_text("SECRET\n")
    git(tmp_path, "mv", "moved.txt", "kept/moved.txt")
    told = await looking(tmp_path).changes()
    assert "+uno" in told
    assert "SECRET" not in told
    assert "OLD" not in told
    assert "keys.txt" not in told
    assert "kept/" not in told
    shown = await looking(tmp_path).commit(first)
    assert "+one" in shown
    assert "OLD" not in shown


async def test_a_repositorys_settings_run_nothing(tmp_path: Path) -> None:
    first = repository(tmp_path, a="one\n")
    proof = tmp_path.parent / f"{tmp_path.name}-proof"
    script = f"touch {proof}; cat"
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager", "pager.diff"):
        git(tmp_path, "config", name, script)
    (tmp_path / ".gitattributes").write_text("* diff=x\n")
    (tmp_path / "a").write_text("uno\n")
    assert "+uno" in await looking(tmp_path).changes()
    assert "+one" in await looking(tmp_path).commit(first)
    assert not proof.exists()


def test_long_output_keeps_its_head_and_more_of_its_end() -> None:
    lines = [f"line {number}" for number in range(1000)]
    kept = shortened("\n".join(lines)).splitlines()
    assert len(kept) == MOST_LINES + 1
    assert kept[:100] == lines[:100]
    assert kept[100] == "[... 500 lines left out ...]"
    assert kept[101:] == lines[600:]
    assert shortened("x" * 5000) == "x" * 1997 + "..."
