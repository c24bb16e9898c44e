"""Roo's exported settings file: imported and exported without loss, secrets apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ConfigError
from tests.config.homes import Home

ROO_FILE = Path(__file__).parent.parent / "golden" / "settings" / "roo-code-settings.json"


def exported_by_roo() -> dict[str, Any]:
    return json.loads(ROO_FILE.read_bytes())


CONTAINERS = {"providerProfiles", "apiConfigs", "globalSettings", "default", "work", "gateway"}


def without_planted(members: dict[str, Any]) -> dict[str, Any]:
    """As an export without secrets should be."""
    return {
        key: without_planted(item) if key in CONTAINERS else item
        for key, item in members.items()
        if key in CONTAINERS or "PLANTED" not in json.dumps(item)
    }


def test_an_export_of_roo_comes_back_as_it_was(home: Home) -> None:
    report = home.exchange().import_file(ROO_FILE)
    assert report.problems == []
    assert report.profiles == ["default", "work", "gateway"]
    assert report.secrets == 8
    assert home.exchange().export(with_secrets=True) == exported_by_roo()


def test_without_secrets_an_export_holds_all_else(home: Home) -> None:
    home.exchange().import_file(ROO_FILE)
    exported = home.exchange().export()
    assert "PLANTED" not in json.dumps(exported)
    assert exported == without_planted(exported_by_roo())


@pytest.mark.requirement("config:secrets:separate", "security:local:encryption")
def test_what_was_imported_lies_nowhere_in_the_open(home: Home) -> None:
    home.exchange().import_file(ROO_FILE)
    for path, content in home.contents().items():
        assert b"PLANTED" not in content, path


def test_imported_profiles_and_settings_are_in_force(home: Home) -> None:
    home.exchange().import_file(ROO_FILE)
    settings = home.resolve()
    assert settings.profile is not None
    assert settings.profile.name == "work"
    assert settings.get("openRouterModelId") == "anthropic/claude-sonnet-4.5"
    assert settings.get("allowedCommands")[-1] == "npm test"
    assert home.resolve({"mode": "architect"}).get("apiProvider") == "anthropic"
    assert {problem.key for problem in settings.problems} == {
        "browserToolEnabled",
        "settingOfAFutureVersion",
    }
    assert home.proxy().get_value("openRouterImageApiKey") == "PLANTED-image"


def test_an_import_adds_to_what_is_there_and_replaces_what_has_its_name(home: Home) -> None:
    profiles = home.profiles()
    old = profiles.create("work", {"apiProvider": "anthropic", "apiKey": "old"})
    profiles.create("mine", {"apiProvider": "mistral", "mistralApiKey": "kept"})
    profiles.activate("mine", "debug")
    home.user('{\n  // my own\n  "ttsSpeed": 2,\n  "language": "de"\n}')
    home.exchange().import_file(ROO_FILE)
    assert [p.name for p in profiles.list_profiles()] == ["work", "mine", "default", "gateway"]
    assert profiles.get("work").provider == "openrouter"
    assert profiles.get("mine").modes == ("debug",)
    assert profiles.secrets_of(profiles.get("mine").id) == {"mistralApiKey": "kept"}
    assert profiles.secrets_of(old.id) == {}
    assert "// my own" in home.user_file.read_text(encoding="utf-8")
    assert home.resolve().get("ttsSpeed") == 2
    assert home.resolve().get("language") == "en"
    before = home.exchange().export(with_secrets=True)
    home.exchange().import_file(ROO_FILE)
    assert home.exchange().export(with_secrets=True) == before


def test_what_is_wrong_with_a_profile_is_told_and_the_rest_imported(home: Home) -> None:
    file = home.write(
        home.workspace / "export.json",
        {
            "providerProfiles": {
                "currentApiConfigName": "a",
                "apiConfigs": {
                    "a": {"apiProvider": "anthropic", "rateLimitSeconds": "often"},
                    "b": 5,
                },
            }
        },
    )
    report = home.exchange().import_file(file)
    assert report.profiles == ["a"]
    assert [(p.key, p.message) for p in report.problems] == [
        ("a.rateLimitSeconds", "must be a number"),
        ("b", "this profile is no object; skipped"),
    ]
    assert home.profiles().get("a").id  # it had none
    assert home.profiles().get("a").settings["rateLimitSeconds"] == "often"


@pytest.mark.parametrize(
    ("content", "said"),
    [('{"mode": "ask"}', "no settings file of Roo"), ("{", "line 1"), ("[]", "object")],
)
def test_another_file_is_refused(home: Home, content: str, said: str) -> None:
    file = home.write(home.workspace / "x.json", content)
    with pytest.raises(ConfigError, match=said):
        home.exchange().import_file(file)
    with pytest.raises(ConfigError, match="no file"):
        home.exchange().import_file(home.workspace / "nowhere.json")
    assert home.contents() == {str(file): content.encode()}


def test_an_empty_home_exports_an_empty_file(home: Home) -> None:
    assert home.exchange().export() == {
        "providerProfiles": {"currentApiConfigName": "default", "apiConfigs": {}},
        "globalSettings": {},
    }
