"""Fallback profiles: in the settings, in the log, and when it comes to it."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.cli.fallbacks import Fallbacks
from roo_code.config.profiles import ProviderSettingsManager
from roo_code.config.schema import ProviderSettings
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError
from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import Roo, completion, serving

SPARE_KEY = "sk-spare-9876543210"
BROKE = ScriptedReply(faults=(Fault(kind="status", status=402, message="No credit."),))


def write_settings(home: Path, **values: Any) -> None:
    file = home / "settings" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values), encoding="utf-8")


def spare_profile(home: Path, **fields: Any) -> None:
    settings = {"apiProvider": "anthropic", "apiModelId": "claude-haiku-4-5", **fields}
    ProviderSettingsManager(home, SecretStore(home, environ={"ROO_SECRETS": "file"})).create(
        "spare", settings
    )


@pytest.mark.requirement("providers:fallback:switch")
def test_a_run_goes_on_with_the_spare_profile_and_says_so(roo: Roo) -> None:
    roo.serve(BROKE)
    with serving([completion("Done by the spare.")], SPARE_KEY) as spare:
        spare_profile(roo.home, apiKey=SPARE_KEY, anthropicBaseUrl=spare.url)
        write_settings(roo.home, fallbackProfiles=["spare"])
        done = roo.run("-p", "Do it.")
        assert done.returncode == 0, done.stderr
        assert "Done by the spare." in done.stdout
        assert spare.requests[0].body["model"] == "claude-haiku-4-5"
    told = done.stdout + done.stderr
    assert "! anthropic (127.0.0.1" in told
    assert "; spare answers from here on, after anthropic claude-haiku-4-5" in told
    assert SPARE_KEY not in told
    assert not [path for path in roo.store_files() if SPARE_KEY.encode() in path.read_bytes()]


def test_a_service_may_be_named_on_the_spot_and_the_events_tell_of_it(roo: Roo) -> None:
    roo.serve(BROKE)
    with serving([completion("Done.")], key="") as spare:
        inline = {"apiProvider": "litellm", "litellmBaseUrl": spare.url, "litellmModelId": "m"}
        write_settings(roo.home, fallbackProfiles=[inline])
        done = roo.run("-p", "--output-format", "stream-json", "Do it.")
        assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (switched,) = [event for event in events if event.get("subtype") == "provider_switched"]
    assert switched["content"].startswith("anthropic claude-sonnet-4-5 -> litellm m: ")
    assert "No credit." in switched["content"]


def fallbacks(home: Path) -> Fallbacks:
    return Fallbacks(home, lambda s: s.replace(api_key="of-all"))


def settings(*profiles: Any, **fields: Any) -> ProviderSettings:
    return ProviderSettings(api_provider="openai", fallbackProfiles=list(profiles), **fields)


def test_the_log_keeps_all_of_them_but_their_keys(tmp_path: Path) -> None:
    spare_profile(tmp_path, apiKey=SPARE_KEY, fallbackProfiles=["spare"])
    found = fallbacks(tmp_path)
    inline = {"apiProvider": "ollama", "ollamaModelId": "devstral"}
    stored = found.stored(settings("spare", inline))
    assert stored == [
        {"profile": "spare", "api_provider": "anthropic", "api_model_id": "claude-haiku-4-5"},
        {"api_provider": "ollama", "api_model_id": "devstral"},
    ]
    again = settings(*stored)
    assert found.stored(again) == stored
    assert {name: known.secrets for name, known in found.named(again).items()} == {
        "spare": [SPARE_KEY],
        "ollama devstral": ["of-all"],
    }


def test_a_profile_without_a_key_uses_that_of_its_service(tmp_path: Path) -> None:
    spare_profile(tmp_path)
    (known,) = fallbacks(tmp_path).named(settings("spare")).values()
    assert known.secrets == ["of-all"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (settings("nobody"), "There is no profile 'nobody'"),
        (settings(7), "neither the name of a profile nor settings"),
        (settings({"apiProvider": "openai", "openAiApiKey": "x"}), "hold a key"),
        (settings({"apiModelId": "m"}), "api_provider: it is missing"),
        (ProviderSettings(api_provider="x", fallbackProfiles="spare"), "it is not a list"),
    ],
)
def test_what_is_wrong_is_told_before_the_run(
    tmp_path: Path, given: ProviderSettings, said: str
) -> None:
    spare_profile(tmp_path)
    with pytest.raises(ConfigError, match=said):
        fallbacks(tmp_path).stored(given)
