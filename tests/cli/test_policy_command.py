"""`roo policy explain`: the decision, the commands, the rule."""

import json
from pathlib import Path

import pytest

from tests.cli.settings_cli import SettingsCli


@pytest.fixture
def roo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> SettingsCli:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return SettingsCli(capsys)


def test_what_is_allowed_is_said_with_its_rule(roo: SettingsCli) -> None:
    ran = roo("policy", "explain", "git log | timeout 5 head > out")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "allow: allowed by developer: git log, developer: head",
        "  allow  git log: developer: git log",
        "  allow  timeout 5 head: only starts another command",
        "  allow  head (by timeout): developer: head",
        "  write  out",
    ]


def test_what_must_be_asked_is_said_with_its_reason(roo: SettingsCli) -> None:
    ran = roo("policy", "explain", "ls; find . -delete")
    assert ran.code == 2
    told = (
        "ask: no rule lets this command run unasked: find . -delete: '-delete' makes find do more"
    )
    assert ran.out.startswith(told)


def test_a_denial_names_the_entry(roo: SettingsCli) -> None:
    ran = roo("policy", "explain", "sudo rm -rf x", "--deny", "rm", "--json")
    assert ran.code == 3
    verdict = json.loads(ran.out)
    assert (verdict["decision"], verdict["writes"]) == ("deny", [])
    assert verdict["commands"][1] == {
        "command": "rm -rf x",
        "decision": "deny",
        "rule": "rm",
        "via": ["sudo"],
    }


def test_the_users_settings_and_the_projects_narrowing_decide(
    roo: SettingsCli, tmp_path: Path
) -> None:
    roo("config", "set", "allowedCommands", '["terraform plan"]')
    assert roo("policy", "explain", "terraform plan").code == 0
    project = tmp_path / "project"
    (project / ".roo").mkdir(parents=True)
    (project / ".roo" / "settings.json").write_text(
        '{"deniedCommands": ["terraform"], "alwaysAllowExecute": false}', encoding="utf-8"
    )
    there = ("--workspace", str(project))
    # The longer entry is the user's own; but the project has turned commands off.
    ran = roo("policy", "explain", "terraform plan", *there)
    assert (ran.code, ran.out.splitlines()[0]) == (2, "ask: alwaysAllowExecute is off")
    assert roo("policy", "explain", "terraform apply", *there).code == 3


@pytest.mark.parametrize(
    ("level", "code"),
    [("all", 0), ("auto", 0), ("auto-edit", 2), ("read", 2), ("ask", 2), ("read-only", 3)],
)
def test_the_level_decides(roo: SettingsCli, level: str, code: int) -> None:
    ran = roo("policy", "explain", "make test", "--approve", level, "--json")
    assert ran.code == code
    assert json.loads(ran.out)["level"] == {"auto-edit": "edits"}.get(level, level)


def test_a_workspace_that_is_not_there_is_an_error(roo: SettingsCli) -> None:
    assert roo("policy", "explain", "ls", "--workspace", "nowhere").code == 1


def test_lists_count_without_the_profile(roo: SettingsCli) -> None:
    assert roo("policy", "explain", "ls", "--no-profile").code == 2
    assert roo("policy", "explain", "ls", "--no-profile", "--allow", "ls").code == 0
