"""run_slash_command and skill: what users and projects have written for the model."""

from pathlib import Path

import pytest

from tests.builtin_tools.calls import Caller


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a user who has nothing yet."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.delenv("ROO_HOME", raising=False)
    return tmp_path / "user" / ".roo"


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def put_skill(folder: Path, name: str, description: str = "When needed.") -> None:
    head = f"---\nname: {name}\ndescription: {description}\n---\n"
    write(folder / name / "SKILL.md", f"{head}\nDo so.\n")


COMMAND = """\
---
description: Look at a change
argument-hint: <branch>
mode: ask
---
Review the branch, file by file.
"""


@pytest.mark.requirement("tools:run-slash-command:custom")
async def test_a_command_is_shown_with_its_arguments_or_all_are_listed(
    caller: Caller, home: Path
) -> None:
    write(caller.folder / ".roo" / "commands" / "review.md", COMMAND)
    write(home / "commands" / "review.md", "The user's own, which the project's stands before.")
    write(home / "commands" / "plain.md", "Just do it.")
    result = await caller.call("run_slash_command", command="/review", args="main")
    assert not result.is_error
    assert result.content == (
        "Command: /review\nDescription: Look at a change\nArgument hint: <branch>\nMode: ask\n"
        "Provided arguments: main\nSource: project\n\n--- Command Content ---\n\n"
        "Review the branch, file by file."
    )
    plain = await caller.call("slash_command", name="plain")
    assert plain.content == (
        "Command: /plain\nSource: global\n\n--- Command Content ---\n\nJust do it."
    )
    unknown = await caller.call("run_slash_command", command="deploy")
    assert unknown.is_error
    assert unknown.content == (
        "There is no command /deploy.\nThese commands exist:\n- /plain\n- /review: Look at a change"
    )


async def test_without_commands_it_says_where_they_would_be(caller: Caller, home: Path) -> None:
    result = await caller.call("run_slash_command", command="x")
    assert ".roo/commands" in result.content


async def test_a_skill_is_shown(caller: Caller, home: Path) -> None:
    put_skill(caller.folder / ".roo" / "skills", "make-pdf", "For PDF files.")
    result = await caller.call("skill", skill="make-pdf", args="report.pdf")
    assert result.content == (
        "Skill: make-pdf\nDescription: For PDF files.\nProvided arguments: report.pdf\n"
        "Source: project\nFolder: .roo/skills/make-pdf\n\n--- Skill Instructions ---\n\nDo so."
    )


async def test_an_unknown_skill_is_answered_with_those_of_the_mode(
    caller: Caller, home: Path
) -> None:
    assert "no skills here" in (await caller.call("skill", skill="x")).content
    put_skill(home / "skills", "a", "For A.")
    put_skill(home / "skills-ask", "b", "For B.")
    caller.settings = {"mode": "ask"}
    result = await caller.call("skill", skill="x")
    assert result.is_error
    assert result.content == (
        "There is no skill 'x'. These skills exist:\n- a: For A.\n- b: For B."
    )
    caller.settings = {"mode": "code"}
    assert (await caller.call("skill", skill="b")).is_error


async def test_a_skill_answers_to_a_command_of_its_name(caller: Caller, home: Path) -> None:
    put_skill(home / "skills", "tidy")
    result = await caller.call("run_slash_command", command="tidy")
    assert result.content.startswith("Skill: tidy")
    unknown = await caller.call("run_slash_command", command="x")
    assert "- tidy: When needed." in unknown.content


async def test_a_projects_link_shows_nothing_from_outside(caller: Caller, home: Path) -> None:
    secret = write(caller.folder.parent / "secret.md", "hunter2")
    commands = caller.folder / ".roo" / "commands"
    commands.mkdir(parents=True)
    (commands / "leak.md").symlink_to(secret)
    put_skill(caller.folder / ".roo" / "skills", "leak-too")
    file = caller.folder / ".roo" / "skills" / "leak-too" / "SKILL.md"
    secret.write_text(file.read_text(encoding="utf-8") + "hunter2", encoding="utf-8")
    file.unlink()
    file.symlink_to(secret)
    for result in (
        await caller.call("run_slash_command", command="leak"),
        await caller.call("skill", skill="leak-too"),
    ):
        assert result.is_error
        assert "outside the workspace" in result.content
        assert "hunter2" not in result.content


async def test_what_rooignore_hides_is_not_shown(caller: Caller, home: Path) -> None:
    write(caller.folder / ".roo" / "commands" / "x.md", "hunter2")
    write(caller.folder / ".rooignore", ".roo/commands/\n")
    result = await caller.call("run_slash_command", command="x")
    assert result.is_error
    assert "hunter2" not in result.content


async def test_a_users_link_is_followed(caller: Caller, home: Path) -> None:
    shared = write(caller.folder.parent / "shared.md", "Shared.")
    (home / "commands").mkdir(parents=True)
    (home / "commands" / "s.md").symlink_to(shared)
    result = await caller.call("run_slash_command", command="s")
    assert result.content.endswith("Shared.")
