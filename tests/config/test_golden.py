"""Settings files of every version load for ever, and a change of one spoils nothing in it."""

import shutil
from pathlib import Path

import pytest

from roo_code.config.secrets import SecretStore
from roo_code.config.settings_file import SettingsFile
from tests.config.homes import Home

GOLDEN = Path(__file__).parent.parent / "golden" / "settings"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())

EXPECTED = {
    "mode": "architect",
    "language": "de",
    "approve": "edits",
    "allowedCommands": ["git status", "npm test"],
    "deniedCommands": ["rm"],
    "allowedMaxCost": 2.5,
    "allowedMaxRequests": None,
    "consecutiveMistakeLimit": 4,
    "mcpEnabled": False,
    "telemetry.mcp.enabled": True,
    "customInstructions": 'Antworte "kurz".',
    "customModePrompts": {"ask": {"customInstructions": "Be brief."}},
    "codebaseIndexConfig": {"codebaseIndexEnabled": True, "codebaseIndexSearchMinScore": 0.5},
    "awsRegion": "eu-west-1",
    "apiProvider": "openrouter",
    "openRouterModelId": "anthropic/claude-sonnet-4.5",
    "modelTemperature": 0.2,
    "currentApiConfigName": "work",
    "requireApproval": True,
    "oneshot": True,
}


def unpack(home: Home, version: str) -> None:
    home.environ["GOLDEN_REGION"] = "eu-west-1"
    shutil.copytree(GOLDEN / version, home.path)


@pytest.mark.parametrize("version", VERSIONS)
def test_settings_and_profiles_load(home: Home, version: str) -> None:
    unpack(home, version)
    settings = home.resolve()
    assert {key: settings.get(key) for key in EXPECTED} == EXPECTED
    assert [problem.key for problem in settings.problems] == ["aKeyOfAnotherProgram"]
    assert home.resolve({"mode": "ask"}).get("ollamaNumCtx") == 32768


@pytest.mark.parametrize("version", VERSIONS)
def test_settings_in_yaml_load_alike(home: Home, version: str) -> None:
    unpack(home, version)
    home.user_file.unlink()
    (home.path / "settings.yaml").rename(home.user_file.with_suffix(".yaml"))
    settings = home.resolve()
    assert {key: settings.get(key) for key in EXPECTED} == EXPECTED


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["settings/settings.json", "settings.yaml"])
def test_a_change_leaves_every_other_line_as_it_was(home: Home, version: str, name: str) -> None:
    unpack(home, version)
    path = home.path / name
    before = path.read_text(encoding="utf-8").splitlines()
    SettingsFile(path).update({"mode": "debug"})
    after = path.read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    ((old, new),) = changed
    assert new.replace("debug", "architect").split() == old.split()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lock", ["machine", "passphrase"])
def test_secrets_open(home: Home, version: str, lock: str) -> None:
    shutil.copytree(GOLDEN / version / "secrets" / lock, home.path / "settings")
    environ = {"ROO_SECRETS": "file", "ROO_PASSPHRASE": "golden passphrase"}
    store = SecretStore(home.path, environ=environ)
    assert store.get("apiKey") == "golden-key-é"
    assert store.get("profile:0011223344556677") == '{"openRouterApiKey": "golden-router"}'
