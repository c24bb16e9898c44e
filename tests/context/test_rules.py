"""Rules from every place that Roo documents, in its order, and what keeps a file out."""

import os
from pathlib import Path

import pytest

from roo_code.context import rules
from roo_code.context.rule_files import MOST_FILES, MOST_FOLDERS
from tests.context.trees import ARCHITECT, Places, in_order

EVERYWHERE = {
    "~/.roo/rules-code/a.md": "global mode rule",
    ".roo/rules-code/b.md": "project mode rule",
    "sub/.roo/rules-code/c.md": "subfolder mode rule",
    ".roorules-code": "old mode rule",
    ".clinerules-code": "oldest mode rule",
    ".rooignore": "secret.txt\n",
    "AGENTS.md": "agent rule",
    "AGENT.md": "other agent rule",
    "AGENTS.local.md": "local agent rule",
    "sub/AGENTS.md": "subfolder agent rule",
    "~/.roo/rules/d.md": "global rule",
    ".roo/rules/e.md": "project rule",
    "sub/.roo/rules/f.md": "subfolder rule",
    ".roorules": "old rule",
    ".clinerules": "oldest rule",
    ".roo/rules-architect/g.md": "another mode's rule",
}


def test_rules_of_all_places_come_in_roos_order(places: Places) -> None:
    places.write(EVERYWHERE)
    prompt = places.prompt(
        enableSubfolderRules=True, language="de", customInstructions="Always this."
    )
    assert in_order(
        prompt,
        "The user's instructions.",
        "'de'",
        "Always this.",
        "# From ~/.roo/rules-code/a.md\n\nglobal mode rule",
        "# From .roo/rules-code/b.md\n\nproject mode rule",
        "# From sub/.roo/rules-code/c.md\n\nsubfolder mode rule",
        "# .rooignore",
        "secret.txt",
        "# From AGENTS.md\n\nagent rule",
        "# From AGENTS.local.md\n\nlocal agent rule",
        "# From sub/AGENTS.md\n\nsubfolder agent rule",
        "# From ~/.roo/rules/d.md\n\nglobal rule",
        "# From .roo/rules/e.md\n\nproject rule",
        "# From sub/.roo/rules/f.md\n\nsubfolder rule",
    )
    for left_out in ("old rule", "oldest rule", "old mode rule", "other agent", "another mode's"):
        assert left_out not in prompt


def test_subfolders_count_only_if_wanted(places: Places) -> None:
    places.write(EVERYWHERE)
    assert "subfolder rule" not in places.prompt()
    assert "subfolder agent rule" not in places.prompt()


def test_agent_rules_can_be_turned_off(places: Places) -> None:
    places.write({"AGENTS.md": "agent rule", "AGENTS.local.md": "local agent rule"})
    assert "agent rule" not in places.prompt(useAgentRules=False)


@pytest.mark.parametrize(
    ("files", "expected", "unexpected"),
    [
        ({".roorules": "roo", ".clinerules": "cline"}, "# From .roorules\n\nroo", "cline"),
        ({".roorules": "  \n", ".clinerules": "cline"}, "# From .clinerules\n\ncline", "From .roo"),
        ({".clinerules/a.md": "cline"}, "# From .clinerules/a.md\n\ncline", "Problem"),
        ({".roorules-code": "roo", ".roo/rules/a.md": "x"}, "# From .roorules-code\n\nroo", "none"),
        ({"AGENT.md": "one agent"}, "# From AGENT.md\n\none agent", "AGENTS.md"),
    ],
)
def test_old_files_count_where_there_is_nothing_new(
    places: Places, files: dict[str, str], expected: str, unexpected: str
) -> None:
    places.write(files)
    prompt = places.prompt()
    assert expected in prompt
    assert unexpected not in prompt


def test_each_mode_has_its_own_rules(places: Places) -> None:
    places.write(EVERYWHERE)
    prompt = places.prompt(ARCHITECT)
    assert in_order(prompt, "# In mode architect\n\nPlan well.", "another mode's rule")
    assert "project mode rule" not in prompt


def test_a_folder_is_read_with_all_below_it_by_base_name(places: Places) -> None:
    places.write(
        {
            ".roo/rules/z/01-first.md": "first",
            ".roo/rules/B.md": "third",
            ".roo/rules/a/b/a.txt": "second",
            ".roo/rules/größe ☃.md": "fourth",
            **{f".roo/rules/x{end}": "not a rule" for end in (".bak", ".log", ".SWP", "Thumbs.db")},
            ".roo/rules/.DS_Store": "not a rule",
            ".roo/rules/empty.md": "\n \n",
            ".roo/rules/windows.md": "fifth\r\nline\r\n",
            ".roo/rules/with-bom.md": b"\xef\xbb\xbfsixth",
        }
    )
    prompt = places.prompt()
    ordered = ("first", "second", "third", "größe ☃.md\n\nfourth", "fifth\nline", "\n\nsixth")
    assert in_order(prompt, *ordered)
    assert "not a rule" not in prompt
    assert "empty.md" not in prompt
    assert not places.problems()


def test_what_is_too_much_is_cut_and_named(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_CHARACTERS", 1000)
    long = "\n".join(f"line {number} of many" for number in range(200))
    files = {"AGENTS.md": "short", ".roo/rules/b.md": long, ".roo/rules/c.md": "not shown"}
    places.write(files)
    prompt = places.prompt()
    assert "short" in prompt
    assert f"of {len(long):,} characters. Read the file.]" in prompt
    assert "Left out" in prompt
    assert in_order(prompt, "1,000 characters: .roo/rules/c.md.")
    assert "not shown" not in prompt
    shown = prompt.split("# From .roo/rules/b.md\n\n")[1].split("\n[Cut")[0]
    assert long.startswith(shown + "\n"), "it is cut after a whole line"


def test_what_cannot_be_read_is_told_and_no_more(places: Places) -> None:
    places.write(
        {
            ".roo/rules/a.md": "a rule",
            ".roo/rules/picture.png": b"\x89PNG\0\0",
            ".roo/rules/latin.md": b"gr\xfc\xdfe",
            ".roo/rules/huge.md": b"x" * (1 << 18) + b"x",
        }
    )
    os.mkfifo(places.path(".roo/rules/pipe"))
    assert "a rule" in places.prompt()
    huge, latin, picture, pipe = sorted(places.problems())
    assert huge == ".roo/rules/huge.md: not used: it is larger than 256 KB"
    assert latin == ".roo/rules/latin.md: not used: it is not UTF-8 text"
    assert picture == ".roo/rules/picture.png: not used: it is not UTF-8 text"
    assert pipe.startswith(".roo/rules/pipe: not used: ")


def test_there_is_a_limit_to_the_number_of_files(places: Places) -> None:
    places.write({f".roo/rules/{number}.md": "x" for number in range(MOST_FILES + 1)})
    assert places.problems() == [f".roo/rules: not used: only {MOST_FILES} of its files are read"]


@pytest.mark.parametrize(
    "folders",
    [
        pytest.param([f"{number}" for number in range(MOST_FOLDERS)], id="wide"),
        pytest.param(["/".join(["a"] * 60)], id="deep"),
    ],
)
def test_there_is_a_limit_to_the_number_of_folders(places: Places, folders: list[str]) -> None:
    places.write({".roo/rules/a.md": "a rule"})
    for folder in folders:
        places.path(f".roo/rules/{folder}").mkdir(parents=True)
    assert "a rule" in places.prompt()
    assert any("too many folders of rules" in problem for problem in places.problems())


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def test_links_within_the_project_are_followed_under_their_own_names(places: Places) -> None:
    places.write({"docs/style.md": "style", "docs/more/a.md": "more", ".roo/rules/b.md": "b"})
    link(places.path(".roo/rules/a-style.md"), "../../docs/style.md")
    link(places.path(".roo/rules/folder"), places.path("docs/more"))
    prompt = places.prompt()
    linked = ("rules/a-style.md\n\nstyle", "# From .roo/rules/folder/a.md\n\nmore", "b.md\n\nb")
    assert in_order(prompt, *linked)
    assert not places.problems()


@pytest.mark.parametrize("target", ["~/.ssh/id", "~/.roo/settings/secrets.json", "~/.ssh"])
def test_a_projects_link_gets_at_nothing_of_the_users(places: Places, target: str) -> None:
    places.write({"~/.ssh/id": "PRIVATE", "~/.roo/settings/secrets.json": "PRIVATE"})
    link(places.path(".roo/rules/a.md"), places.path(target))
    assert "PRIVATE" not in places.prompt()
    [problem] = places.problems()
    assert problem == ".roo/rules/a.md: not used: it leads outside the workspace"


def test_a_project_whose_rules_folder_is_a_link_gets_at_nothing(places: Places) -> None:
    places.write({"~/.ssh/id": "PRIVATE"})
    link(places.path(".roo"), places.path("~/.ssh"))
    places.write({"~/.ssh/rules/a.md": "PRIVATE"})
    assert "PRIVATE" not in places.prompt()
    assert any("leads outside the workspace" in problem for problem in places.problems())


def test_a_link_to_a_hidden_file_is_refused(places: Places) -> None:
    places.write({".rooignore": ".env\n", ".env": "PRIVATE"})
    link(places.path("AGENTS.md"), ".env")
    assert "PRIVATE" not in places.prompt()
    assert places.problems() == ["AGENTS.md: not used: it leads to what .rooignore hides"]


def test_the_users_own_rules_may_be_links_within_the_home_folder(
    places: Places, tmp_path: Path
) -> None:
    places.write({"~/dotfiles/rules.md": "of mine"})
    (tmp_path / "elsewhere.md").write_text("of others")
    link(places.path("~/.roo/rules/a.md"), places.path("~/dotfiles/rules.md"))
    link(places.path("~/.roo/rules/b.md"), tmp_path / "elsewhere.md")
    assert "# From ~/.roo/rules/a.md\n\nof mine" in places.prompt()
    assert places.problems() == ["~/.roo/rules/b.md: not used: it leads outside your home folder"]


def test_links_in_a_circle_end(places: Places) -> None:
    places.write({".roo/rules/a.md": "a rule"})
    link(places.path(".roo/rules/again"), places.path(".roo/rules"))
    link(places.path(".roo/rules/self"), "self")
    link(places.path(".roo/rules/gone"), "nowhere")
    assert places.prompt().count("a rule") == 1


def test_a_home_folder_as_workspace_has_its_rules_once(places: Places) -> None:
    places.project = places.user
    places.write({".roo/rules/a.md": "a rule"})
    assert places.prompt().count("a rule") == 1


def test_a_rooignore_that_cannot_be_used_is_told_to_the_model(places: Places) -> None:
    places.write({".rooignore": b"x" * (1 << 20) + b"x"})
    assert ".rooignore of this workspace cannot be used" in places.prompt()
