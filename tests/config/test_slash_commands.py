"""Slash commands: where they are found, and what their files say."""

from pathlib import Path

import pytest

from roo_code.config.slash_commands import SlashCommand, list_commands, read_command


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "commands"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "w" / ".roo" / "commands"
    folder.mkdir(parents=True)
    return folder


def found(tmp_path: Path) -> dict[str, SlashCommand]:
    commands, problems = list_commands(tmp_path / "w", tmp_path / "home")
    assert problems == []
    return {command.name: command for command in commands}


def read(text: str) -> SlashCommand:
    return read_command(Path("/x/do.it.md"), text, "project")


def test_the_project_comes_before_the_user(tmp_path: Path, mine: Path, project: Path) -> None:
    for name in ("b.md", "both.md", "no.txt"):
        (mine / name).write_text("mine")
    for name in ("both.md", "a.MD"):
        (project / name).write_text("the project's")
    (project / "sub").mkdir()
    (project / "sub" / "deep.md").write_text("too deep")
    commands = found(tmp_path)
    assert [(name, command.source) for name, command in commands.items()] == [
        ("a", "project"), ("b", "global"), ("both", "project"),
    ]  # fmt: skip
    assert commands["both"].content == "the project's"
    assert commands["both"].path == project / "both.md"


def test_without_folders_there_are_none(tmp_path: Path) -> None:
    assert list_commands(tmp_path / "w", tmp_path / "home") == ([], [])


def test_linked_files_and_folders_are_followed_but_not_in_circles(
    tmp_path: Path, project: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "review.md").write_text("Review.")
    (shared / "again").symlink_to(shared)
    (project / "team").symlink_to(shared)
    (project / "alias.md").symlink_to(shared / "review.md")
    (project / "gone.md").symlink_to(shared / "gone.md")
    assert sorted(found(tmp_path)) == ["alias", "review"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_says_more(end: str) -> None:
    text = (
        "---\ndescription: ' What it does '\nargument-hint: <file>\nmode: ask\n---\n\nDo it.\n---\n"
    )
    assert read(text.replace("\n", end)) == SlashCommand(
        name="do.it",
        source="project",
        path=Path("/x/do.it.md"),
        content=f"Do it.{end}---",
        description="What it does",
        argument_hint="<file>",
        mode="ask",
    )


@pytest.mark.parametrize("text", ["---\n---\nDo it.", "---\n# none\n---\nDo it.\n", "\ufeffDo it."])
def test_front_matter_may_say_nothing(text: str) -> None:
    assert read(text)[3:] == ("Do it.", "", "", "")


def test_what_is_no_text_says_nothing() -> None:
    assert read("---\ndescription: 3\nargument-hint: [a]\nmode:\n---\nDo it.")[4:] == ("", "", "")


@pytest.mark.parametrize(
    "text",
    [
        "---\ndescription: [a\n---\nDo it.",
        "---\nargument-hint: [a] [b]\n---\nDo it.",
        "---\njust words\n---\nDo it.",
        "---\na: &a 1\nb: *a\n---\nDo it.",
        "---\ndescription: without an end",
        "----\ndescription: a rule\n----",
    ],
)
def test_broken_front_matter_is_content(text: str) -> None:
    assert read(text)[3:] == (text, "", "", "")


def test_an_unreadable_file_is_reported_and_the_rest_listed(tmp_path: Path, project: Path) -> None:
    (project / "good.md").write_text("Do it.")
    (project / "bad.md").write_bytes(b"Do\n\xff")
    commands, problems = list_commands(tmp_path / "w", tmp_path / "home")
    assert [command.name for command in commands] == ["good"]
    assert [str(problem) for problem in problems] == [f"{project}/bad.md:2: it is not UTF-8 text"]
