"""Skills: where they are found, which of two counts, and which are left out."""

from pathlib import Path

import pytest

from roo_code.config.skills import SkillPlaces, list_skills


@pytest.fixture
def places(tmp_path: Path) -> SkillPlaces:
    return SkillPlaces(tmp_path / "w", tmp_path / "user" / ".roo", tmp_path / "user")


def put(folder: Path, name: str, description: str = "Use it.", more: str = "") -> Path:
    (folder / name).mkdir(parents=True, exist_ok=True)
    file = folder / name / "SKILL.md"
    head = f"name: {name}\ndescription: {description}\n{more}"
    file.write_text(f"---\n{head}---\nDo so.\n", encoding="utf-8")
    return file


def found(places: SkillPlaces, mode: str = "code") -> dict[str, str]:
    skills, problems = list_skills(places, mode)
    assert problems == []
    return {skill.name: skill.description for skill in skills}


def test_without_folders_there_are_none(places: SkillPlaces) -> None:
    assert list_skills(places, "code") == ([], [])


def test_skills_are_found_in_all_places_by_name(places: SkillPlaces) -> None:
    put(places.user / ".agents" / "skills", "d")
    put(places.workspace / ".agents" / "skills", "c")
    put(places.home / "skills", "b")
    file = put(places.workspace / ".roo" / "skills", "a")
    skills, _ = list_skills(places, "code")
    assert [(skill.name, skill.source) for skill in skills] == [
        ("a", "project"), ("b", "global"), ("c", "project"), ("d", "global"),
    ]  # fmt: skip
    assert skills[0].path == file


def test_the_project_counts_before_the_user_and_ours_before_that_of_all_agents(
    places: SkillPlaces,
) -> None:
    put(places.user / ".agents" / "skills", "x", "one")
    assert found(places) == {"x": "one"}
    put(places.home / "skills", "x", "two")
    assert found(places) == {"x": "two"}
    put(places.workspace / ".agents" / "skills", "x", "three")
    assert found(places) == {"x": "three"}
    put(places.workspace / ".roo" / "skills", "x", "four")
    assert found(places) == {"x": "four"}


def test_skills_of_a_mode_are_for_that_mode_and_count_before_others_of_the_source(
    places: SkillPlaces,
) -> None:
    put(places.home / "skills", "x", "for all")
    put(places.home / "skills-debug", "x", "for debug")
    put(places.home / "skills-ask", "y", "for ask")
    assert found(places, "debug") == {"x": "for debug"}
    assert found(places, "code") == {"x": "for all"}
    put(places.workspace / ".roo" / "skills", "x", "the project's")
    assert found(places, "debug") == {"x": "the project's"}
    assert found(places, "../skills") == {"x": "the project's"}


@pytest.mark.parametrize("more", ["modeSlugs: [ask, debug]\n", "mode: debug\n"])
def test_a_skill_may_name_its_modes(places: SkillPlaces, more: str) -> None:
    put(places.home / "skills", "x", more=more)
    assert found(places, "debug") == {"x": "Use it."}
    assert found(places, "code") == {}


@pytest.mark.parametrize(
    ("folder", "text", "told"),
    [
        ("a", "No head.", "needs a name"),
        ("a", "---\nname: a\n---\n", "description"),
        ("a", "---\nname: a\ndescription: " + "d" * 1025 + "\n---\n", "description"),
        ("a", "---\nname: b\ndescription: d\n---\n", "that of the folder"),
        ("A", "---\nname: A\ndescription: d\n---\n", "small letters"),
        ("a--b", "---\nname: a--b\ndescription: d\n---\n", "hyphens"),
        ("a" * 65, f"---\nname: {'a' * 65}\ndescription: d\n---\n", "64"),
        ("a", "---\nname: [\n---\n", "YAML"),
        ("a", "---\n- name\n---\n", "names and values"),
    ],
)
def test_what_is_wrong_is_told_and_left_out(
    places: SkillPlaces, folder: str, text: str, told: str
) -> None:
    put(places.home / "skills", "good")
    file = put(places.home / "skills", folder)
    file.write_text(text, encoding="utf-8")
    skills, problems = list_skills(places)
    assert [skill.name for skill in skills] == ["good"]
    assert [problem.file for problem in problems] == [str(file)]
    assert told in problems[0].message


def test_folders_without_the_file_and_plain_files_are_no_skills(places: SkillPlaces) -> None:
    (places.home / "skills" / "notes").mkdir(parents=True)
    (places.home / "skills" / "README.md").write_text("Read me.", encoding="utf-8")
    assert found(places) == {}
