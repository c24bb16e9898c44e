"""Secrets that were stored reach services that can do without a key, too."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.cli.compose_provider import hide_keys, with_secrets
from roo_code.config.layers import LayeredSettings
from roo_code.config.profiles import ProviderSettingsManager
from roo_code.config.schema import ProviderSettings
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError
from tests.cli.conftest import Roo, completion

BY_FILE = {"ROO_SECRETS": "file"}


@pytest.mark.parametrize(
    ("provider", "secrets"),
    [
        ("bedrock", {"awsAccessKey": "AKIA-planted", "awsSecretKey": "planted"}),
        ("vertex", {"vertexJsonCredentials": '{"type": "service_account"}'}),
        ("litellm", {"litellmApiKey": "sk-planted"}),
        ("ollama", {"ollamaApiKey": "sk-planted"}),
    ],
)
def test_what_is_stored_for_a_service_is_given_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, secrets: dict[str, str]
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_SECRETS", "file")
    store = SecretStore(tmp_path / "home", environ=BY_FILE)
    store.store_secrets(secrets)
    layers = LayeredSettings(tmp_path)
    found = with_secrets(ProviderSettings(api_provider=provider), None, layers)
    assert {*secrets.values()} <= {*found.secrets}


def test_a_run_sends_the_key_of_a_profile_to_a_service_that_may_have_none(roo: Roo) -> None:
    server = roo.serve(completion("Done."), key="sk-of-the-profile")
    roo.model = ()  # the profile says it all
    settings: dict[str, Any] = {
        "apiProvider": "litellm",
        "litellmModelId": "m",
        "litellmBaseUrl": f"{server.url}/v1",
        "litellmApiKey": "sk-of-the-profile",
    }
    profiles = ProviderSettingsManager(roo.home, SecretStore(roo.home, environ=BY_FILE))
    profiles.create("proxy", settings)
    profiles.activate("proxy")
    done = roo.run("-p", "Do it.", ROO_SECRETS="file")
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 1
    assert server.problems() == []


def test_a_locked_store_does_not_keep_a_model_at_home_from_being_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = BY_FILE | {"ROO_PASSPHRASE": "open sesame"}
    SecretStore(tmp_path / "home", environ=locked).store_secret("ollamaApiKey", "planted")
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_SECRETS", "file")
    layers = LayeredSettings(tmp_path)
    asked = ProviderSettings(api_provider="ollama")
    assert with_secrets(asked, None, layers) == asked
    with pytest.raises(ConfigError):
        with_secrets(ProviderSettings(api_provider="bedrock"), None, layers)


def test_what_requests_are_signed_with_is_hidden_from_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session-planted")
    used = ProviderSettings(
        api_provider="bedrock", awsAccessKey="AKIA1", awsSecretKey="s3cret-planted"
    )
    hidden = hide_keys([used])("s3cret-planted and session-planted")
    assert hidden == "*** and ***"
