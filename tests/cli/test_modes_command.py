"""`roo modes`: look, make, exchange."""

import json
from pathlib import Path

import pytest
import yaml
from inline_snapshot import snapshot

from roo_code.cli.main import run_cli


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")
    return tmp_path / "home"


DOCS = ("docs", "--role", "You write.", "--group", "read", "--group", r"edit=\.md$")


def roo(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_cli(["modes", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_all_modes_are_listed_with_their_rights(capsys: pytest.CaptureFixture[str]) -> None:
    assert roo(capsys, "new", *DOCS, "--global")[0] == 0
    code, out, _ = roo(capsys, "list")
    assert code == 0
    assert out == snapshot("""\
code          builtin  read, edit, command, browser, mcp
architect     builtin  read, edit (\\.md$), mcp
ask           builtin  read, mcp
debug         builtin  read, edit, command, browser, mcp
orchestrator  builtin  no tools but those to delegate and to answer
docs          global   read, edit (\\.md$)
""")
    listed = json.loads(roo(capsys, "list", "--format", "json")[1])["modes"]
    assert [mode["slug"] for mode in listed] == [line.split()[0] for line in out.splitlines()]


def test_a_mode_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    roo(capsys, "new", *DOCS, "--name", "📝 Docs", "--when", "For texts.")
    file = Path(".roomodes").resolve()
    assert roo(capsys, "show", "docs")[1].splitlines() == [
        "Mode: docs (📝 Docs)",
        f"Source: project {file}",
        r"May use: read, edit (\.md$)",
        "When to use: For texts.",
        "Role: You write.",
    ]
    shown = json.loads(roo(capsys, "show", "docs", "--format", "json")[1])
    assert shown["groups"] == ["read", ["edit", {"fileRegex": r"\.md$"}]]
    assert (shown["source"], shown["file"]) == ("project", str(file))


def test_a_mode_that_is_not_there_is_told_with_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = roo(capsys, "show", "cook")
    assert code == 1
    assert "There is no mode 'cook'." in err
    assert "code, architect, ask" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a b", "--role", "x"), "'a b' is no slug"),
        (("x", "--role", "x", "--group", "cook"), "groups.0: there is no such group"),
        (("x", "--role", "x", "--group", "edit=("), "fileRegex: it is no regular expression"),
        (("x", "--role", " "), "roleDefinition: it must be a text"),
        (("x", "--role", "x", "-w", "nowhere"), "is not a folder"),
    ],
)
def test_what_would_not_be_a_mode_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = roo(capsys, "new", *arguments)
    assert code == 1
    assert said in err
    assert not Path(".roomodes").exists()


def test_a_mode_goes_from_one_project_to_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    roo(capsys, "new", *DOCS)
    rules = Path(".roo/rules-docs")
    rules.mkdir(parents=True)
    (rules / "style.md").write_text("Be brief.\n")
    assert roo(capsys, "export", "docs")[0] == 0
    printed = roo(capsys, "export", "docs", "-")[1]
    assert Path("docs-export.yaml").read_text(encoding="utf-8") == printed
    assert yaml.safe_load(printed)["customModes"][0]["source"] == "project"
    code, out, _ = roo(capsys, "import", "docs-export.yaml", "--global")
    assert code == 0
    assert out == (
        f"Imported into {home}/settings/custom_modes.yaml: docs, with 1 file of rules.\n"
    )
    other = tmp_path / "other"
    other.mkdir()
    assert (home / "rules-docs" / "style.md").read_text() == "Be brief.\n"
    assert roo(capsys, "export", "docs", "-", "-w", str(other))[1] == printed


def test_a_built_in_mode_is_exported_as_the_user_has_it(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    (home / "settings").mkdir(parents=True)
    (home / "settings" / "settings.json").write_text(
        '{"customModePrompts": {"ask": {"roleDefinition": "You are a parrot."}}}'
    )
    exported = yaml.safe_load(roo(capsys, "export", "ask", "-")[1])["customModes"][0]
    assert exported["roleDefinition"] == "You are a parrot."
    assert exported["groups"] == ["read", "mcp"]


@pytest.mark.parametrize("text", ["customModes: [{slug: x}]", "customModes: }"])
def test_an_import_of_nothing_fails(capsys: pytest.CaptureFixture[str], text: str) -> None:
    Path("x.yaml").write_text(text, encoding="utf-8")
    code, out, err = roo(capsys, "import", "x.yaml")
    assert (code, out) == (1, "")
    assert "Problem: " in err
    assert not Path(".roomodes").exists()


def test_problems_of_files_are_told_beside_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    Path(".roomodes").write_text("customModes: }", encoding="utf-8")
    code, out, err = roo(capsys, "list")
    assert code == 0
    assert out.startswith("code ")
    assert ".roomodes:1: the YAML is broken" in err
