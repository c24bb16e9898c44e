"""Files of modes: which count, and what is said of broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.config.mode_files import CustomMode, list_custom_modes, read_mode_file


def mode(slug: str, name: str = "N", **more: Any) -> dict[str, Any]:
    return {"slug": slug, "name": name, "roleDefinition": "You.", "groups": ["read"]} | more


def write(path: Path, *modes: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"customModes": modes}, indent=1), encoding="utf-8")


def read(tmp_path: Path, text: str) -> tuple[list[CustomMode], list[str]]:
    """The modes, and the problems without the file's name."""
    path = tmp_path / ".roomodes"
    path.write_text(text, encoding="utf-8")
    modes, problems = read_mode_file(path, "project")
    assert all(problem.file == str(path) for problem in problems)
    return modes, [str(problem).removeprefix(str(path)) for problem in problems]


def test_the_project_comes_before_the_user(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "w"
    write(home / "custom_modes.yaml", mode("a", "old"), mode("b", "old"), mode("c", "old"))
    write(home / "settings" / "custom_modes.yaml", mode("b", "mine"), mode("c", "mine"))
    write(workspace / ".roomodes", mode("c", "project's", source="global"), mode("d"))
    modes, problems = list_custom_modes(workspace, home)
    assert problems == []
    assert [(m.slug, m.name, m.source) for m in modes] == [
        ("a", "old", "global"),
        ("b", "mine", "global"),
        ("c", "project's", "project"),
        ("d", "N", "project"),
    ]


def test_without_files_there_are_none(tmp_path: Path) -> None:
    assert list_custom_modes(tmp_path, tmp_path / "home") == ([], [])


YAML = """\
customModes:
  - slug: docs
    name: Writer
    roleDefinition: You write.
    whenToUse: |
      For texts.
    description: Texts
    groups:
      - read
      - [edit, {fileRegex: \\.md$}]
"""


@pytest.mark.parametrize(
    "text",
    [
        YAML,
        "\ufeff" + YAML,
        YAML.replace("    name", "\u00a0\u00a0\u00a0 name"),
        YAML.replace("slug: docs", "slug: “docs”"),
        '{\n\t"customModes": [\n\t\t// ours\n\t\t{"slug": "docs", "name": "Writer", '
        '"roleDefinition": "Y", "groups": [], "whenToUse": "For texts.", "description": "Texts"}]}',
    ],
    ids=["yaml", "bom", "pasted spaces", "pasted quotes", "json"],
)
def test_yaml_and_json_are_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == (
        [CustomMode("docs", "Writer", "project", "For texts.", "Texts")],
        [],
    )


def test_quotes_that_do_no_harm_stay(tmp_path: Path) -> None:
    modes, _ = read(tmp_path, YAML.replace("Texts", "'It\u2019s \u201call\u201d'"))
    assert modes[0].description == "It\u2019s \u201call\u201d"


@pytest.mark.parametrize("text", ["", "# nothing\n", "customModes:\n", "customModes: []", "{}"])
def test_a_file_may_hold_none(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ([], [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("customModes: }", ":1: the YAML is broken"),
        ('{"customModes": [}', ":1: the JSON is broken"),
        ("just words", ":1: it must hold an object"),
        ("modes: []", ": customModes must be a list"),
        ("\ncustomModes: {a: 1}", ":2: customModes must be a list"),
    ],
)
def test_a_broken_file_is_reported(tmp_path: Path, text: str, problem: str) -> None:
    modes, problems = read(tmp_path, text)
    assert modes == []
    assert len(problems) == 1
    assert problems[0].startswith(problem)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("word", 'customModes[1]: it must be an object with slug'),
        (mode("a b"), 'customModes[1].slug = "a b": it must be a word'),
        (mode("é"), 'customModes[1].slug = "é": it must be a word'),
        (mode("good"), 'customModes[1].slug = "good": another mode of this file has it'),
        (mode("x", name=" "), 'customModes[1].name = " ": it must be a text'),
        (mode("x", groups="read"), 'customModes[1].groups = "read": it must be a list'),
        ({"slug": "x", "name": "X", "groups": []}, "customModes[1].roleDefinition: it is missing"),
    ],
)  # fmt: skip
def test_a_broken_mode_is_reported_and_the_rest_used(
    tmp_path: Path, wrong: Any, problem: str
) -> None:
    path = tmp_path / ".roomodes"
    write(path, mode("good", "G"), wrong, mode("other"))
    modes, problems = read_mode_file(path, "project")
    assert [(m.slug, m.name) for m in modes] == [("good", "G"), ("other", "N")]
    assert [problem in str(found) for found in problems] == [True]
    assert problems[0].line is not None


def test_a_broken_description_is_left_out(tmp_path: Path) -> None:
    modes, problems = read(tmp_path, YAML.replace("Texts", "2026-01-01"))
    assert modes == [CustomMode("docs", "Writer", "project", "For texts.")]
    assert problems == [":7: customModes[0].description = date: it must be a text"]


def test_what_can_be_mended_of_a_broken_file_is_used(tmp_path: Path) -> None:
    text = YAML.replace("slug: docs", "slug: “docs”") + "  - slug: half\n"
    modes, problems = read(tmp_path, text)
    assert [m.slug for m in modes] == ["docs"]
    assert len(problems) == 3


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".roomodes").mkdir()
    modes, problems = list_custom_modes(tmp_path, tmp_path / "home")
    assert modes == []
    assert [str(p) for p in problems] == [f"{tmp_path}/.roomodes: it is not a regular file"]
