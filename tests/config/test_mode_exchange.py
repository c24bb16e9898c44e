"""Modes that are passed on: exports and imports in Roo's form, without loss and without harm."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from roo_code.config.mode import Mode, ModeGroup
from roo_code.config.mode_exchange import ModePlace, export_mode, import_modes
from roo_code.config.mode_files import read_mode_file
from roo_code.errors import ConfigError

EXPORTED = """\
customModes:
  - slug: docs
    name: 📝 Docs
    iconName: codicon-edit
    roleDefinition: >-
      You are Roo, who
      writes.
    whenToUse: For texts.
    groups:
      - read
      - - edit
        - fileRegex: \\.(md|mdx)$
          description: Markdown
    source: project
    rulesFiles:
      - relativePath: 1_style.xml
        content: "<rules>Be brief.</rules>\\n"
      - relativePath: rules-docs/deep/2.md
        content: Two
"""
DOCS = Mode(
    slug="docs",
    name="Docs",
    role="You write.",
    groups=(ModeGroup("read"), ModeGroup("edit", r"\.md$", "Markdown")),
    instructions="Be brief.\nAnd kind.",
)


def fields(path: Path) -> list[dict[str, Any]]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["customModes"]


@pytest.fixture
def place(tmp_path: Path) -> ModePlace:
    return ModePlace.of_project(tmp_path)


def imported(tmp_path: Path, place: ModePlace, text: str) -> list[str]:
    """What is told of a file as it is imported."""
    file = tmp_path / "export.yaml"
    file.write_text(text, encoding="utf-8")
    return [str(problem) for problem in import_modes(file, place).problems]


def test_an_export_of_roo_is_imported_with_its_rules(tmp_path: Path, place: ModePlace) -> None:
    assert imported(tmp_path, place, EXPORTED) == []
    rules = tmp_path / ".roo" / "rules-docs"
    assert (rules / "1_style.xml").read_text() == "<rules>Be brief.</rules>\n"
    assert (rules / "deep" / "2.md").read_text() == "Two"
    (written,) = fields(tmp_path / ".roomodes")
    assert {"source", "rulesFiles"} & {*written} == set()
    assert written["iconName"] == "codicon-edit"  # of a version that knows more than we do
    (mode,), problems, *_ = read_mode_file(tmp_path / ".roomodes", "project")
    assert problems == []
    assert mode.groups == (ModeGroup("read"), ModeGroup("edit", r"\.(md|mdx)$", "Markdown"))


def test_what_is_exported_comes_back_the_same(tmp_path: Path, place: ModePlace) -> None:
    rules = tmp_path / "rules"
    (rules / "below").mkdir(parents=True)
    (rules / "a.md").write_text("One\n")
    (rules / "below" / "b.md").write_text("Two\n")
    text = export_mode(DOCS, rules)
    (written,) = yaml.safe_load(text)["customModes"]
    assert written["source"] == "project"
    assert written["rulesFiles"] == [
        {"relativePath": "a.md", "content": "One\n"},
        {"relativePath": "below/b.md", "content": "Two\n"},
    ]
    assert imported(tmp_path, place, text) == []
    (mode,) = read_mode_file(place.file, "project").modes
    assert (mode.role, mode.groups, mode.instructions) == (
        DOCS.role,
        DOCS.groups,
        DOCS.instructions,
    )
    assert export_mode(mode, place.rules("docs")) == text


def test_a_mode_of_the_same_slug_and_its_rules_are_replaced(
    tmp_path: Path, place: ModePlace
) -> None:
    place.file.write_text(
        "# ours\ncustomModes:\n"
        "- {slug: docs, name: Old, roleDefinition: O, groups: []}\n"
        "- {slug: other, name: Other, roleDefinition: O, groups: []}\n"
    )
    place.rules("docs").mkdir(parents=True)
    (place.rules("docs") / "old.md").write_text("old")
    assert imported(tmp_path, place, EXPORTED) == []
    assert [mode["name"] for mode in fields(place.file)] == ["Other", "📝 Docs"]
    assert place.file.read_text().startswith("# ours\n")
    assert not (place.rules("docs") / "old.md").exists()
    assert [path.name for path in place.config.iterdir()] == ["rules-docs"]


def test_without_word_of_rules_those_there_are_stay(tmp_path: Path, place: ModePlace) -> None:
    place.rules("docs").mkdir(parents=True)
    (place.rules("docs") / "mine.md").write_text("mine")
    assert imported(tmp_path, place, EXPORTED.partition("    rulesFiles")[0]) == []
    assert (place.rules("docs") / "mine.md").read_text() == "mine"


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/tmp/x", "..\\x", "C:\\x", "", ".", "rules-docs/../../x"]
)
def test_rules_cannot_be_written_elsewhere(tmp_path: Path, place: ModePlace, path: str) -> None:
    mode: dict[str, Any] = {"slug": "docs", "name": "D", "roleDefinition": "R", "groups": []}
    mode["rulesFiles"] = [
        {"relativePath": path, "content": "evil"},
        {"relativePath": "good.md", "content": "good"},
    ]
    problems = imported(tmp_path, place, yaml.safe_dump({"customModes": [mode]}))
    assert len(problems) == 1
    assert "leads elsewhere" in problems[0]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} == {"export.yaml", ".roomodes", "good.md"}


def test_a_link_in_place_of_the_rules_is_not_followed(tmp_path: Path, place: ModePlace) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "keep.md").write_text("keep")
    place.config.mkdir()
    place.rules("docs").symlink_to(elsewhere)
    assert imported(tmp_path, place, EXPORTED) == []
    assert [path.name for path in elsewhere.iterdir()] == ["keep.md"]


def test_a_file_of_json_stays_json(tmp_path: Path, place: ModePlace) -> None:
    place.file.write_text('{\n  // ours\n  "customModes": []\n}\n')
    assert imported(tmp_path, place, EXPORTED) == []
    assert place.file.read_text().startswith("{\n  // ours\n")
    assert [mode.slug for mode in read_mode_file(place.file, "project").modes] == ["docs"]


@pytest.mark.parametrize(
    ("text", "said"), [("", "no modes"), ("customModes: []", "no modes"), (None, "no file")]
)
def test_a_file_without_modes_is_refused(
    tmp_path: Path, place: ModePlace, text: str | None, said: str
) -> None:
    file = tmp_path / "export.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        import_modes(file, place)


def test_a_broken_file_is_left_as_it_is(tmp_path: Path, place: ModePlace) -> None:
    place.file.write_text("customModes: }")
    with pytest.raises(ConfigError, match="cannot be used: the YAML is broken"):
        imported(tmp_path, place, EXPORTED)
    assert place.file.read_text() == "customModes: }"
    assert not place.config.exists()


def test_what_is_wrong_is_told_and_the_rest_imported(tmp_path: Path, place: ModePlace) -> None:
    broken = EXPORTED + "  - slug: half\n"
    assert "customModes[1].name: it is missing" in imported(tmp_path, place, broken)[0]
    assert [mode["slug"] for mode in fields(place.file)] == ["docs"]
