"""Folders of modes: one YAML file each, as the first description of them has it."""

from pathlib import Path

import pytest

from roo_code.config.mode import Mode, ModeGroup
from roo_code.config.mode_files import ReadModes
from roo_code.config.mode_folder import read_mode_folder

CODE = """\
name: "💻 Code"
description: "Write, modify, and refactor code"
when_to_use: "When you need to implement features or fix bugs"

groups:
  - read        # Can use read tools
  - edit
  - command
  - browser

file_restrictions:
  allow_patterns:
    - ".*"      # Can edit all files

system_prompt_file: "prompts/code.md"
"""


def write(config: Path, name: str, text: str) -> Path:
    path = config / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(config: Path, *known: Mode) -> ReadModes:
    files = sorted((config / "modes").glob("*.y*ml"))
    return read_mode_folder(config, files, "project", {mode.slug: mode for mode in known})


@pytest.mark.requirement(
    "modes:config:yaml-fields", "modes:config:slug-from-file", "modes:config:prompt-file"
)
def test_every_field_of_a_file_is_read(tmp_path: Path) -> None:
    file = write(tmp_path, "modes/code.yaml", CODE)
    write(tmp_path, "prompts/code.md", "You write code.\n")
    assert read(tmp_path)[:2] == (
        [
            Mode(
                slug="code",
                name="💻 Code",
                role="Write, modify, and refactor code",
                groups=tuple(map(ModeGroup, ("read", "edit", "command", "browser"))),
                when_to_use="When you need to implement features or fix bugs",
                description="Write, modify, and refactor code",
                system_prompt="You write code.",
                source="project",
                file=str(file),
            )
        ],
        [],
    )


@pytest.mark.requirement("modes:config:prompt-file")
def test_a_missing_prompt_is_reported_with_its_path(tmp_path: Path) -> None:
    write(tmp_path, "modes/code.yaml", CODE)
    modes, problems, *_ = read(tmp_path)
    assert modes == []
    assert str(problems[0]) == (
        f'{tmp_path}/modes/code.yaml:15: system_prompt_file = "prompts/code.md": '
        f"there is no file '{tmp_path}/prompts/code.md'"
    )


@pytest.mark.parametrize("name", ["../secret.md", "link.md", "{outside}"])
def test_a_prompt_of_somebody_else_is_not_read(tmp_path: Path, name: str) -> None:
    secret = write(tmp_path, "secret.md", "TOP SECRET")
    config = tmp_path / "config"
    write(config, "modes/x.yaml", f"system_prompt_file: {name.format(outside=secret)}\n")
    (config / "link.md").symlink_to(secret)
    modes, problems, *_ = read(config)
    assert modes == []
    assert "is outside" in str(problems[0])
    assert "TOP SECRET" not in str(problems)


@pytest.mark.requirement("modes:config:restrictions-forms")
@pytest.mark.parametrize(
    ("text", "regex"),
    [
        ("file_restrictions: []", ""),
        ("file_restrictions: {}", ""),
        ("file_restrictions: {allow_patterns: []}", ""),
        ("file_restrictions: {allow_patterns: ['.*', x]}", ""),
        (r"file_restrictions: {allow_patterns: ['\.md$']}", r"\.md$"),
        (r"file_restrictions: {allow_patterns: ['\.md$', ^docs/]}", r"\.md$|^docs/"),
    ],
)
def test_restrictions_are_an_empty_list_or_patterns(tmp_path: Path, text: str, regex: str) -> None:
    write(tmp_path, "modes/x.yaml", f"groups: [read, edit]\n{text}\n")
    (mode,), problems, *_ = read(tmp_path)
    assert problems == []
    assert mode.groups == (ModeGroup("read"), ModeGroup("edit", regex))


def test_what_a_file_leaves_unsaid_is_as_in_the_mode_it_replaces(tmp_path: Path) -> None:
    before = Mode(
        slug="docs", name="Docs", role="You.", groups=(ModeGroup("edit"),), instructions="Be brief."
    )
    write(tmp_path, "modes/docs.yaml", "file_restrictions: {allow_patterns: [a]}\n")
    (mode,), _, *_ = read(tmp_path, before)
    assert (mode.name, mode.role, mode.instructions) == ("Docs", "You.", "Be brief.")
    assert mode.groups == (ModeGroup("edit", "a"),)


@pytest.mark.requirement("modes:config:bad-file")
@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("x.yaml", "groups: }", ":1: the YAML is broken"),
        ("x.yaml", "groups: [read, cook]", ':1: groups[1] = "cook": there is no such group'),
        ("x.yaml", "name: 5", ":1: name = 5: it must be a text"),
        ("x.yaml", "file_restrictions: [a]", ":1: file_restrictions = "),
        ("x.yaml", "file_restrictions: {allow_patterns: a}", ": it must be a list"),
        ("x.yaml", "a: 1\nfile_restrictions:\n  allow_patterns:\n    - '('", ":4: file_restric"),
        ("a b.yaml", "name: X", ": the file's name must be a word"),
    ],
)
def test_a_bad_file_is_reported_and_the_others_are_used(
    tmp_path: Path, name: str, text: str, problem: str
) -> None:
    file = write(tmp_path, f"modes/{name}", text)
    write(tmp_path, "modes/good.yml", "name: Good\ngroups: [read]\n")
    write(tmp_path, "modes/notes.txt", "no mode")
    modes, problems, *_ = read(tmp_path)
    assert [mode.slug for mode in modes] == ["good"]
    assert len(problems) == 1
    assert str(problems[0]).startswith(str(file))
    assert problem in str(problems[0])


def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path)[:2] == ([], [])
