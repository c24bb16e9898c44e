"""`roo config`."""

import io
import json
import sys
from pathlib import Path

import pytest

from roo_code.config.secrets import SecretStore
from tests.cli.settings_cli import SettingsCli

PLANTED = "sk-planted-c0ffee"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_HOST_SETTINGS", str(tmp_path / "host.json"))
    monkeypatch.setenv("ROO_SECRETS", "file")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "home"


@pytest.fixture
def roo(home: Path, capsys: pytest.CaptureFixture[str]) -> SettingsCli:
    return SettingsCli(capsys)


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_setting_is_set_got_listed_and_removed(roo: SettingsCli, home: Path) -> None:
    assert roo("config", "get", "mode").out == "code\n"
    assert roo("config", "set", "mode", "ask").code == 0
    assert roo("config", "set", "allowedCommands", '["npm test"]').code == 0
    assert roo("config", "get", "mode").out == "ask\n"
    assert roo("config", "get", "allowedCommands").out == '["npm test"]\n'
    file = home / "settings" / "settings.json"
    listed = roo("config", "list", "--origin")
    assert listed.out.splitlines() == [
        f'allowedCommands  ["npm test"]  ({file}:4)',
        f'mode             "ask"  ({file}:3)',
    ]
    assert roo("config", "unset", "mode").code == 0
    assert roo("config", "get", "mode").out == "code\n"
    assert roo("config", "get", "language").code == 1


def test_json_is_for_programs(roo: SettingsCli, home: Path) -> None:
    roo("config", "set", "mode", "ask")
    listed = json.loads(roo("config", "list", "--format", "json").out)
    assert listed == {"settings": {"mode": "ask"}, "secrets": [], "problems": []}
    listed = json.loads(roo("config", "list", "--origin", "--format", "json").out)
    file = str(home / "settings" / "settings.json")
    assert listed["settings"]["mode"] == {
        "value": "ask",
        "layer": "user",
        "source": file,
        "line": 3,
    }
    got = json.loads(roo("config", "get", "mode", "--format", "json").out)
    assert got == {"key": "mode", "value": "ask", "origin": f"{file}:3"}


def test_all_settings_are_listed_with_their_type_or_default(roo: SettingsCli) -> None:
    shown = {line.split()[0]: line for line in roo("config", "list", "--all").out.splitlines()}
    assert len(shown) > 195
    assert shown["checkpointTimeout"].endswith("15")
    assert shown["language"].endswith("zh-TW)")
    assert shown["apiKey"].endswith("(secret)")
    assert "the defaults hold" in roo("config", "list").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set", "modee", "ask"), "There is no setting 'modee'.\n  Did you mean mode?"),
        (("get", "modee"), "Did you mean mode?"),
        (("set", "mcpEnabled", "maybe"), "mcpEnabled must be true or false."),
        (("set", "checkpointTimeout", "5"), "must be between 10 and 60"),
        (("set", "mode"), "A value is missing: mode is text."),
        (("set", "apiKey", PLANTED), "other users of the machine could see it"),
        (("set", "--project", "allowedCommands", '["*"]'), "a project may not set it"),
        (("set", "--project", "alwaysAllowExecute", "true"), "only set it to false"),
    ],
)
def test_a_mistake_is_told_and_changes_nothing(
    roo: SettingsCli, home: Path, arguments: tuple[str, ...], said: str
) -> None:
    ran = roo("config", *arguments)
    assert ran.code == 1
    assert said in ran.err
    assert PLANTED not in ran.err
    assert not home.exists()


def test_a_key_is_read_from_the_standard_input_and_never_shown(
    roo: SettingsCli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert roo("config", "get", "apiKey").code == 1
    type_in(monkeypatch, f"{PLANTED}\n")
    ran = roo("config", "set", "apiKey")
    assert ran.code == 0
    assert "encrypted with a key that lies beside it" in ran.err
    assert SecretStore().get("apiKey") == PLANTED
    shown = [roo("config", "get", "apiKey"), roo("config", "list", "--origin"), ran]
    assert shown[0].code == 0
    assert shown[1].out == "apiKey  (hidden)  (secret store)\n"
    assert not any(PLANTED in one.out + one.err for one in shown)
    assert roo("config", "unset", "apiKey").code == 0
    assert SecretStore().all() == {}
    type_in(monkeypatch, " \n")
    assert "No value" in roo("config", "set", "apiKey").err


def test_what_overrides_a_setting_is_said(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_MODE", "debug")
    ran = roo("config", "set", "mode", "ask")
    assert ran.err == "Note: environment variable ROO_MODE overrides it.\n"


def test_a_project_has_settings_of_its_own(roo: SettingsCli, tmp_path: Path) -> None:
    assert roo("config", "set", "--project", "mode", "architect").code == 0
    file = tmp_path / "project" / ".roo" / "settings.json"
    assert json.loads(file.read_bytes())["mode"] == "architect"
    assert roo("config", "get", "mode").out == "architect\n"
    assert roo("config", "get", "mode", "-w", str(tmp_path)).out == "code\n"
    assert roo("config", "unset", "--project", "mode").code == 0
    assert roo("config", "get", "mode").out == "code\n"


def test_problems_are_shown_with_their_remedy(roo: SettingsCli, home: Path) -> None:
    file = home / "settings" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mode": 5,\n "apiKey": "' + PLANTED + '"}', encoding="utf-8")
    ran = roo("config", "list")
    assert f"Problem: {file}:1: mode = 5: must be text; it is not used\n" in ran.err
    assert f"Problem: {file}:2: apiKey = (hidden)" in ran.err
    assert "  Remove it from the file, then: roo config set apiKey" in ran.err
    assert PLANTED not in ran.out + ran.err
    assert "Problem" not in roo("config", "get", "language").err


def test_paths_are_listed_the_strongest_last(roo: SettingsCli, home: Path, tmp_path: Path) -> None:
    roo("config", "set", "mode", "ask")
    lines = roo("config", "path").out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "host", "user", "user", "user", "profile", "project",
    ]  # fmt: skip
    assert lines[3] == f"user     {home / 'settings' / 'settings.json'}"
    assert lines[5].endswith(".roo/settings.json  (not there)")
    files = json.loads(roo("config", "path", "--format", "json").out)["files"]
    assert [file["exists"] for file in files] == [False, False, False, True, False, False]


def test_after_an_edit_what_is_wrong_is_told(
    roo: SettingsCli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho \'{"mode": "ask", "languag": 1}\' > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    type_in(monkeypatch, "")
    ran = roo("config", "edit")
    assert ran.code == 1
    assert "Did you mean language?" in ran.err
    editor.write_text('#!/bin/sh\necho \'{"mode": "ask"}\' > "$1"\n')
    assert roo("config", "edit").code == 0
    assert roo("config", "get", "mode").out == "ask\n"


def test_secrets_are_locked_anew(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    assert "no file of secrets" in roo("config", "rotate").err
    SecretStore().store_secret("apiKey", PLANTED)
    before = (home / "settings" / "secrets.json").read_bytes()
    assert roo("config", "rotate").code == 0
    assert (home / "settings" / "secrets.json").read_bytes() != before
    monkeypatch.setenv("ROO_PASSPHRASE", "correct horse")
    assert roo("config", "rotate").err.endswith("encrypted with your passphrase.\n")
    assert SecretStore().get("apiKey") == PLANTED


@pytest.mark.parametrize("name", ["get", "set", "unset", "list", "path", "edit", "rotate"])
def test_every_command_has_help_with_an_example(roo: SettingsCli, name: str) -> None:
    shown = roo("config", name, "--help").out
    assert "Example" in shown
    assert f"roo config {name}" in shown


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --")]
)
def test_completion_prints_a_script(roo: SettingsCli, shell: str, word: str) -> None:
    assert word in roo("completion", shell).out
    assert "_ROO_COMPLETE" in roo("completion", shell).out
