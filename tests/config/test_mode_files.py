"""Files of modes: which count, and what is said of broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.config.mode import Mode, ModeGroup
from roo_code.config.mode_files import as_fields, as_mode, read_mode_file


def mode(slug: str, name: str = "N", **more: Any) -> dict[str, Any]:
    return {"slug": slug, "name": name, "roleDefinition": "You.", "groups": ["read"]} | more


def write(path: Path, *modes: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"customModes": modes}, indent=1), encoding="utf-8")


def read(tmp_path: Path, text: str) -> tuple[list[Mode], list[str]]:
    """The modes, and the problems without the file's name."""
    path = tmp_path / ".roomodes"
    path.write_text(text, encoding="utf-8")
    found = read_mode_file(path, "project")
    assert all(problem.file == str(path) for problem in found.problems)
    assert all(mode.file == str(path) for mode in found.modes)
    return found.modes, [str(problem).removeprefix(str(path)) for problem in found.problems]


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
        '"roleDefinition": "You write.", "groups": ["read", ["edit", {"fileRegex": "\\\\.md$"}]], '
        '"whenToUse": "For texts.", "description": "Texts"}]}',
    ],
    ids=["yaml", "bom", "pasted spaces", "pasted quotes", "json"],
)
def test_yaml_and_json_are_read(tmp_path: Path, text: str) -> None:
    docs = Mode(
        slug="docs",
        name="Writer",
        role="You write.",
        groups=(ModeGroup("read"), ModeGroup("edit", r"\.md$")),
        when_to_use="For texts.",
        description="Texts",
        source="project",
        file=str(tmp_path / ".roomodes"),
    )
    assert read(tmp_path, text) == ([docs], [])


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
        (mode("x", groups=["cook"]), 'customModes[1].groups[0] = "cook": there is no such group'),
        (mode("x", groups=["read", "read"]), 'groups[1] = "read": this group is there already'),
        (mode("x", groups=[["edit", 5]]), "groups[0] = [\"edit\", 5]: it must be a name"),
        (mode("x", groups=[5]), "customModes[1].groups[0] = 5: there is no such group"),
        (mode("x", groups=[["edit", {"fileRegex": "("}]]), 'fileRegex = "(": it is no regular'),
        (mode("x", groups=[["edit", {"fileRegex": 5}]]), "fileRegex = 5: it must be a text"),
        (mode("x", groups=[["edit", {"description": 5}]]), "description = 5: it must be a text"),
        ({"slug": "x", "name": "X", "groups": []}, "customModes[1].roleDefinition: it is missing"),
    ],
)  # fmt: skip
def test_a_broken_mode_is_reported_and_the_rest_used(
    tmp_path: Path, wrong: Any, problem: str
) -> None:
    path = tmp_path / ".roomodes"
    write(path, mode("good", "G"), wrong, mode("other"))
    modes, problems, *_ = read_mode_file(path, "project")
    assert [(m.slug, m.name) for m in modes] == [("good", "G"), ("other", "N")]
    assert problem in str(problems[0])
    assert problems[0].line is not None


def test_a_broken_description_is_left_out(tmp_path: Path) -> None:
    modes, problems = read(tmp_path, YAML.replace("Texts", "2026-01-01"))
    assert [(m.slug, m.description) for m in modes] == [("docs", "")]
    assert problems == [":7: customModes[0].description = date: it must be a text"]


def test_what_can_be_mended_of_a_broken_file_is_used(tmp_path: Path) -> None:
    text = YAML.replace("slug: docs", "slug: “docs”") + "  - slug: half\n"
    modes, problems = read(tmp_path, text)
    assert [m.slug for m in modes] == ["docs"]
    assert len(problems) == 3


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".roomodes").mkdir()
    found = read_mode_file(tmp_path / ".roomodes", "project")
    assert found.modes == []
    assert [str(p) for p in found.problems] == [f"{tmp_path}/.roomodes: it is not a regular file"]


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert read_mode_file(tmp_path / ".roomodes", "project")[:2] == ([], [])


def test_a_mode_is_written_as_it_was_read() -> None:
    fields = {
        "slug": "docs",
        "name": "📝 Writer",
        "roleDefinition": "You write.",
        "whenToUse": "For texts.",
        "description": "Texts",
        "customInstructions": "Be brief.",
        "groups": ["read", ["edit", {"fileRegex": r"\.md$", "description": "Markdown"}], "mcp"],
    }
    assert as_fields(as_mode(fields, "global")) == fields
