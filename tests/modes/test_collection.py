"""Which modes there are, from all the places they may stand, as they are now."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.json_text import JsonValue
from roo_code.modes.collection import Modes


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def fields(slug: str, name: str, **more: Any) -> dict[str, Any]:
    return {"slug": slug, "name": name, "roleDefinition": "You.", "groups": ["read"]} | more


def roo_file(*modes: dict[str, Any]) -> str:
    return json.dumps({"customModes": modes})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


@pytest.mark.requirement("modes:builtin:set")
def test_five_modes_are_always_there(workspace: Path, home: Path) -> None:
    known = Modes(workspace, home)
    slugs = ["code", "architect", "ask", "debug", "orchestrator"]
    assert [mode.slug for mode in known.all] == slugs
    assert all(mode.source == "builtin" and mode.role and mode.description for mode in known.all)
    assert known.problems == ()


@pytest.mark.requirement("modes:builtin:code-groups", "modes:builtin:architect-markdown")
def test_what_the_built_in_modes_may_do(workspace: Path, home: Path) -> None:
    known = {
        mode.slug: [(group.name, group.file_regex) for group in mode.groups]
        for mode in Modes(workspace, home).all
    }
    everything = [(name, "") for name in ("read", "edit", "command", "browser", "mcp")]
    assert known == {
        "code": everything,
        "architect": [("read", ""), ("edit", r"\.md$"), ("mcp", "")],
        "ask": [("read", ""), ("mcp", "")],
        "debug": everything,
        "orchestrator": [],
    }


@pytest.mark.requirement("modes:config:sources")
def test_the_project_comes_before_the_user_and_both_before_the_built_in(
    workspace: Path, home: Path
) -> None:
    for place in (home, workspace / ".roo"):
        write(place / "modes" / "ask.yaml", f"name: {place.name}\n")
    write(home / "modes" / "code.yaml", "name: my code\n")
    known = Modes(workspace, home)
    assert known.in_force("ask").name == ".roo"
    assert known.in_force("code").name == "my code"
    assert known.in_force("debug").name == "🪲 Debug"


def test_of_all_files_the_later_counts(workspace: Path, home: Path) -> None:
    places = (
        home / "modes" / "x.yaml",
        home / "custom_modes.yaml",
        home / "settings" / "custom_modes.yaml",
        workspace / ".roo" / "modes" / "x.yaml",
        workspace / ".roomodes",
    )
    known = Modes(workspace, home)
    assert known.get("x") is None
    for place in places:
        is_folder = place.name == "x.yaml"
        write(place, f"name: {place}" if is_folder else roo_file(fields("x", str(place))))
        mode = known.get("x")
        assert mode is not None
        assert mode.name == str(place)
        assert mode.file == str(place)
    assert [known.in_force(slug).slug for slug in ("x", "code")] == ["x", "code"]


def test_modes_of_roos_own_settings_are_known(workspace: Path, home: Path) -> None:
    given: list[JsonValue] = [fields("mine", "Mine"), {"slug": "half"}]
    known = Modes(workspace, home, {"customModes": given})
    assert known.get("half") is None
    assert known.in_force("mine").name == "Mine"
    write(home / "custom_modes.yaml", roo_file(fields("mine", "Newer")))
    assert known.in_force("mine").name == "Newer"


def test_a_task_has_modes_of_its_settings_too(
    workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / "settings" / "settings.json", roo_file(fields("mine", "Mine")))
    assert Modes.of(workspace, home).in_force("mine").name == "Mine"
    monkeypatch.setenv("ROO_HOME", str(home))
    assert Modes.of(workspace).in_force("mine").name == "Mine"


def test_a_custom_mode_replaces_all_of_a_built_in_one(workspace: Path, home: Path) -> None:
    write(workspace / ".roomodes", roo_file(fields("architect", "Mine", groups=[])))
    mode = Modes(workspace, home).in_force("architect")
    assert (mode.name, mode.role, mode.groups, mode.instructions) == ("Mine", "You.", (), "")


def test_settings_change_the_words_of_a_built_in_mode_only(workspace: Path, home: Path) -> None:
    write(workspace / ".roomodes", roo_file(fields("docs", "Docs")))
    words: dict[str, JsonValue] = {
        "roleDefinition": "Be X.",
        "customInstructions": "Do X.",
        "whenToUse": " ",
    }
    known = Modes(workspace, home, {"customModePrompts": {"ask": words, "docs": words}})
    ask = known.in_force("ask")
    assert (ask.role, ask.instructions) == ("Be X.", "Do X.")
    assert ask.when_to_use.startswith("For explanations")
    assert known.in_force("docs").role == "You."


def test_a_change_counts_at_the_next_look(workspace: Path, home: Path) -> None:
    known = Modes(workspace, home)
    assert known.get("docs") is None
    write(workspace / ".roo" / "modes" / "docs.yaml", "system_prompt_file: docs.md\n")
    assert known.get("docs") is None
    assert "there is no file" in str(known.problems)
    write(workspace / ".roo" / "docs.md", "One.")
    assert known.in_force("docs").system_prompt == "One."
    assert known.problems == ()
    write(workspace / ".roo" / "docs.md", "Another.")
    assert known.in_force("docs").system_prompt == "Another."
    (workspace / ".roo" / "modes" / "docs.yaml").unlink()
    assert known.get("docs") is None


def test_a_broken_file_takes_no_others_with_it(workspace: Path, home: Path) -> None:
    write(workspace / ".roomodes", "customModes: }")
    write(home / "custom_modes.yaml", roo_file(fields("mine", "Mine")))
    known = Modes(workspace, home)
    assert known.in_force("mine").slug == "mine"
    assert [problem.file for problem in known.problems] == [str(workspace / ".roomodes")]


def test_a_mode_that_is_gone_allows_no_more_than_reading(workspace: Path, home: Path) -> None:
    rights = ["read", "edit", "command"]
    write(workspace / ".roomodes", roo_file(fields("ask", "Not so harmless", groups=rights)))
    mode = Modes(workspace, home).in_force("no-such-mode")
    assert (mode.slug, mode.source) == ("ask", "builtin")
    assert mode.group("edit") is None


def test_without_a_mode_the_usual_one_holds(workspace: Path, home: Path) -> None:
    assert Modes(workspace, home).in_force("").slug == "code"


def test_the_other_home_of_modes_is_read_beside_the_usual_one(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / ".roo-code" / "modes" / "x.yaml", "name: other\n")
    write(tmp_path / ".roo-code" / "modes" / "y.yaml", "name: other\n")
    write(tmp_path / ".roo" / "modes" / "x.yaml", "name: usual\n")
    known = Modes(workspace, tmp_path / ".roo")
    assert [known.in_force(slug).name for slug in ("x", "y")] == ["usual", "other"]
    assert Modes(workspace, tmp_path / "elsewhere").get("y") is None
