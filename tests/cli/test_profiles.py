"""`roo profiles`."""

import io
import json
import stat
import sys
from pathlib import Path

import pytest

from roo_code.config.profiles import ProviderSettingsManager
from tests.cli.settings_cli import SettingsCli

PLANTED = "sk-planted-c0ffee"
ROO_FILE = Path(__file__).parent.parent / "golden" / "settings" / "roo-code-settings.json"


@pytest.fixture
def roo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> SettingsCli:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_SECRETS", "file")
    monkeypatch.chdir(tmp_path)
    return SettingsCli(capsys)


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def key_of(name: str) -> object:
    profiles = ProviderSettingsManager()
    return profiles.secrets_of(profiles.get(name).id)


def test_profiles_are_made_listed_shown_and_chosen(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "There are none" in roo("profiles", "list").err
    type_in(monkeypatch, PLANTED + "\n")
    made = roo("profiles", "create", "work", "--provider", "openrouter", "-m", "a/b", "--key")
    assert made.err == "Profile 'work' is made and active.\n"
    assert key_of("work") == {"openRouterApiKey": PLANTED}
    made = roo(
        "profiles", "create", "local", "--provider", "ollama", "-m", "qwen", "ollamaNumCtx=4096"
    )
    assert made.err == "Profile 'local' is made.\n"
    roo("profiles", "use", "local", "--mode", "ask")
    assert roo("profiles", "list").out == "* work   openrouter/a/b\n  local  ollama/qwen  for ask\n"
    assert roo("profiles", "show", "work").out == (
        'apiProvider = "openrouter"\nopenRouterModelId = "a/b"\nopenRouterApiKey = (hidden)\n'
    )
    roo("profiles", "use", "local")
    listed = json.loads(roo("profiles", "list", "--format", "json").out)["profiles"]
    assert [(one["name"], one["active"], one["modes"]) for one in listed] == [
        ("work", False, []),
        ("local", True, ["ask"]),
    ]
    roo("profiles", "use", "--mode", "ask")
    assert ProviderSettingsManager().get("local").modes == ()


def test_profiles_are_changed_renamed_copied_and_deleted(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    roo("profiles", "create", "work", "--provider", "anthropic", "modelTemperature=0.5")
    type_in(monkeypatch, PLANTED)
    assert roo("profiles", "set", "work", "--key", "apiModelId=x", "modelTemperature=").code == 0
    assert ProviderSettingsManager().get("work").settings == {
        "apiProvider": "anthropic",
        "apiModelId": "x",
    }
    assert key_of("work") == {"apiKey": PLANTED}
    assert roo("profiles", "rename", "work", "office").code == 0
    assert roo("profiles", "copy", "office", "spare").code == 0
    assert key_of("spare") == {"apiKey": PLANTED}
    assert "say --yes" in roo("profiles", "delete", "office").err
    assert roo("profiles", "delete", "office", "--yes").code == 0
    assert roo("profiles", "list").out == "* spare  anthropic/x\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create", "x"), "give --provider"),
        (("create", "x", "--provider", "anthropic", f"apiKey={PLANTED}"), "Say --key"),
        (("create", "x", "--provider", "anthropic", "word"), "not KEY=VALUE"),
        (("create", "x", "--provider", "ollama", "ollamaNumCtx=few"), "must be a number"),
        (("set", "x", "a=b"), "There is no profile 'x'."),
        (("use",), "Give the NAME"),
        (("import", "nowhere.json"), "There is no file"),
        (("export", "--with-secrets"), "say --yes"),
    ],
)
def test_a_mistake_is_told(roo: SettingsCli, arguments: tuple[str, ...], said: str) -> None:
    ran = roo("profiles", *arguments)
    assert ran.code == 1
    assert said in ran.err
    assert PLANTED not in ran.err


def test_a_file_of_roo_is_imported_and_exported(roo: SettingsCli, tmp_path: Path) -> None:
    ran = roo("profiles", "import", str(ROO_FILE))
    assert "3 profiles, 21 settings and 8 secrets are imported." in ran.err
    assert "in plain text: delete" in ran.err
    assert "PLANTED" not in roo("profiles", "export").out
    assert roo("profiles", "export", "all.json", "--with-secrets", "--yes").code == 0
    file = tmp_path / "all.json"
    assert json.loads(file.read_bytes()) == json.loads(ROO_FILE.read_bytes())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "--force" in roo("profiles", "export", "all.json").err
    assert roo("profiles", "export", "all.json", "--force").code == 0
    assert b"PLANTED" not in file.read_bytes()


def test_what_overrides_the_choice_is_said(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    roo("profiles", "create", "one", "--provider", "anthropic")
    roo("profiles", "create", "two", "--provider", "mistral")
    monkeypatch.setenv("ROO_CURRENT_API_CONFIG_NAME", "one")
    ran = roo("profiles", "use", "two")
    assert ran.err == "Note: environment variable ROO_CURRENT_API_CONFIG_NAME overrides it.\n"


COMMANDS = ["list", "show", "create", "set", "rename", "copy", "delete", "use", "import", "export"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(roo: SettingsCli, name: str) -> None:
    assert f"roo profiles {name}" in roo("profiles", name, "--help").out.partition("Example")[2]
