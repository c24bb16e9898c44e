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
    assert ran.out.startswith("ask: find . -delete: '-delete' makes find do more")


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


def test_lists_count_without_the_profile(roo: SettingsCli) -> None:
    assert roo("policy", "explain", "ls", "--no-profile").code == 2
    assert roo("policy", "explain", "ls", "--no-profile", "--allow", "ls").code == 0
