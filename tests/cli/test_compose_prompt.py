"""What the composition tells a model of the workspace, commands and problems."""

from pathlib import Path

import pytest

from roo_code.cli.compose import HostOptions, open_host
from roo_code.cli.compose_prompt import workspace_files
from roo_code.events import EnvironmentTold
from roo_code.json_text import JsonValue
from roo_code.messages import ToolUseContent
from roo_code.task.host import until_pause
from roo_code.testing import ScriptedProvider
from roo_code.workspace.workspace import Workspace
from tests.mentions.repositories import git
from tests.mentions.test_in_tasks import composed, run, start


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    folder = tmp_path / "w"
    (folder / "src" / "deep").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "src/c.py", "src/deep/d.py"):
        (folder / name).write_text("x")
    return folder


def call(name: str, **input: JsonValue) -> list[ToolUseContent]:
    return [ToolUseContent(id="", name=name, input=input)]


def test_files_are_listed_level_by_level(workspace: Path) -> None:
    assert workspace_files(Workspace(workspace), 10) == [
        "a.txt",
        "b.txt",
        "src/",
        "src/c.py",
        "src/deep/",
        "src/deep/d.py",
    ]
    assert workspace_files(Workspace(workspace), 4) == [
        "a.txt",
        "b.txt",
        "src/",
        "src/deep/",
        "(and more: list_files shows them)",
    ]


def test_what_is_hidden_or_ignored_is_not_listed(workspace: Path) -> None:
    git(workspace, "init", "--quiet")
    (workspace / ".gitignore").write_text("b.txt\n")
    (workspace / ".rooignore").write_text("src/c.py\n")
    listed = workspace_files(Workspace(workspace), 10)
    assert "a.txt" in listed
    assert not {"b.txt", "src/c.py", ".rooignore"} & set(listed)


def test_of_a_home_folder_only_the_first_level_is_listed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    assert workspace_files(Workspace(workspace), 10) == ["a.txt", "b.txt", "src/"]


async def test_a_command_that_ends_in_the_background_is_told(
    workspace: Path, tmp_path: Path
) -> None:
    provider = ScriptedProvider(
        call("execute_command", command="sleep 600", timeout=0.01),
        call("background_command", action="list"),
        call("background_command", action="stop"),
        "Done.",
    )
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Go."))
        events = await run(composition)
    _, news = (event.text for event in events if isinstance(event, EnvironmentTold))
    assert "Commands that have ended in the background:\ncmd-" in news
    assert news.endswith(".txt: sleep 600\n</environment_details>")


async def test_what_the_model_deletes_itself_is_no_news(workspace: Path, tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
    provider = ScriptedProvider(
        call("read_file", path="a.txt"),
        call("read_file", path="b.txt"),
        call("apply_patch", patch=patch),
        call("execute_command", command="rm b.txt"),
        "Done.",
    )
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Go."))
        events = await run(composition)
    assert not (workspace / "a.txt").exists()
    _, news = (event.text for event in events if isinstance(event, EnvironmentTold))
    assert "Gone since you last saw them:\nb.txt\n</environment_details>" in news


async def test_a_rooignore_that_cannot_be_used_does_not_end_the_run(
    workspace: Path, tmp_path: Path
) -> None:
    (workspace / ".rooignore").write_bytes(b"x" * (1 << 20) + b"x")
    provider = ScriptedProvider("Done.")
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Go."))
        await run(composition)
    assert "cannot be used" in provider.requests[0].system_prompt
    assert "Files in" not in provider.requests[0].messages[0].text


async def test_a_file_that_is_left_out_is_told_once(workspace: Path, tmp_path: Path) -> None:
    (workspace / "AGENTS.md").symlink_to("/etc/passwd")
    provider, told = ScriptedProvider("Done.", "Done."), list[str]()
    options = HostOptions(folder=tmp_path / "state", provider=lambda _: provider, tell=told.append)
    async with open_host(options) as composition:
        for id in ("t", "u"):
            command = start(workspace, "Go.")
            await composition.host.handle(command.replace(task_id=id))
            async for _ in until_pause(composition.host.follow(id)):
                pass
    assert told == [
        "AGENTS.md: not used: it leads outside the workspace. Copy it instead of linking it."
    ]
