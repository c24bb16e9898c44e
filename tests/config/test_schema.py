"""Provider settings by our names and by Roo's."""

from typing import Any

import pytest

from roo_code.config.schema import ProviderSettings, Secret, WrongSettings
from roo_code.errors import ConfigError


def read(**fields: Any) -> ProviderSettings:
    return ProviderSettings(**fields)


@pytest.mark.requirement("client:settings:fields")
def test_settings_hold_provider_key_model_and_address() -> None:
    found = ProviderSettings(
        api_provider="openai",
        api_key=Secret("k"),
        api_model_id="gpt-5.1",
        api_base_url="http://localhost:8000/v1/",
    )
    assert found.api_provider == "openai"
    assert found.api_key is not None
    assert found.api_key.get_secret_value() == "k"
    assert (found.api_model_id, found.api_base_url) == ("gpt-5.1", "http://localhost:8000/v1")
    assert ProviderSettings(api_provider="openai").api_base_url is None


@pytest.mark.requirement("client:settings:fields")
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"api_provider": ""},
        {"api_provider": "x", "api_base_url": "localhost:8000"},
        {"api_provider": "x", "temperature": 3},
        {"api_provider": "x", "max_tokens": 0},
        {"api_provider": "x", "reasoning_effort": "enormous"},
        {"api_provider": "x", "request_timeout": 0},
    ],
)
def test_wrong_settings_are_refused_when_they_are_made(fields: dict[str, Any]) -> None:
    with pytest.raises(WrongSettings):
        ProviderSettings(**fields)
    with pytest.raises(ConfigError, match="settings are wrong"):
        ProviderSettings.read(fields)


@pytest.mark.requirement("client:settings:option-names")
def test_the_option_names_are_other_names_for_the_fields() -> None:
    found = read(
        apiProvider="anthropic",
        apiKey="k",
        baseUrl="http://h",
        model="m",
        maxTokens=100,
        temperature=0.5,
        anthropicUseAuthToken=True,
        unheardOf={"a": [1]},
    )
    assert found.api_key == Secret("k")
    assert found.without_secrets() == {
        "api_provider": "anthropic",
        "api_base_url": "http://h",
        "api_model_id": "m",
        "max_tokens": 100,
        "temperature": 0.5,
        "anthropicUseAuthToken": True,
        "unheardOf": {"a": [1]},
    }
    assert found.options == {"anthropicUseAuthToken": True, "unheardOf": {"a": [1]}}


@pytest.mark.parametrize(
    ("provider", "prefix"),
    [
        ("openrouter", "openRouter"),
        ("openai", "openAi"),
        ("lmstudio", "lmStudio"),
        ("deepseek", "deepSeek"),
        ("vercel-ai-gateway", "vercelAiGateway"),
        ("litellm", "litellm"),
        ("anthropic", "anthropic"),
    ],
)
def test_the_keys_of_a_roo_profile_are_understood(provider: str, prefix: str) -> None:
    found = read(
        apiProvider=provider,
        apiKey="of another provider",
        apiModelId="of another provider",
        **{f"{prefix}ApiKey": "own", f"{prefix}ModelId": "m", f"{prefix}BaseUrl": "http://h"},
        otherApiKey="other-secret",
    )
    assert found.api_key == Secret("own")
    assert (found.api_model_id, found.api_base_url) == ("m", "http://h")
    assert found.options == {"otherApiKey": "other-secret"}


def test_our_own_names_win_and_empty_values_are_none() -> None:
    found = read(api_provider="openrouter", api_key="ours", openRouterApiKey="roo's", apiKey="")
    assert found.api_key == Secret("ours")
    found = read(apiProvider="anthropic", apiKey="k", anthropicBaseUrl="", modelTemperature=None)
    assert (found.api_key, found.api_base_url, found.temperature) == (Secret("k"), None, None)


def test_roos_switch_for_reasoning_is_one_with_how_much() -> None:
    assert read(apiProvider="x", enableReasoningEffort=False, reasoningEffort="high").options == {}
    off = read(apiProvider="x", enableReasoningEffort=False, reasoningEffort="high")
    assert off.reasoning_effort == "disable"
    assert read(apiProvider="x", enableReasoningEffort=True).reasoning_effort == "medium"
    on = read(apiProvider="x", enableReasoningEffort=True, reasoningEffort="high")
    assert on.reasoning_effort == "high"


def test_no_secret_is_ever_shown() -> None:
    secrets = {"apiKey": "s3cret-a", "awsSecretKey": "s3cret-b", "rooApiKey": "s3cret-c"}
    found = read(apiProvider="anthropic", **secrets, openAiHeaders={"x-key": "s3cret-d"})
    assert "s3cret" not in repr(found) + str(found) + str(found.without_secrets())
    assert found.options["awsSecretKey"] == "s3cret-b"
    for wrong in ({"apiKey": "s3cret"}, {"apiProvider": "x", "apiKey": ["s3cret"]}):
        with pytest.raises(WrongSettings) as raised:
            ProviderSettings(**wrong)
        assert "s3cret" not in str(raised.value)
        with pytest.raises(ConfigError) as refused:
            ProviderSettings.read(wrong)  # pyright: ignore[reportArgumentType]
        assert "s3cret" not in str(refused.value)


def test_a_password_in_the_address_is_a_secret_too() -> None:
    found = read(api_provider="ollama", api_base_url="https://me:s3cret%21@h:8000/v1")
    assert found.api_base_url == "https://h:8000/v1"
    assert found.headers == {"authorization": "Basic bWU6czNjcmV0IQ=="}
    assert "s3cret" not in repr(found) + str(found.without_secrets())
    plain = read(api_provider="ollama", api_base_url="https://h/a@b")
    assert (plain.api_base_url, plain.headers) == ("https://h/a@b", {})


def test_what_is_stored_can_be_read_back_without_the_key() -> None:
    found = read(
        api_provider="anthropic",
        api_key="k",
        max_tokens=100,
        max_thinking_tokens=2000,
        anthropicUseAuthToken=True,
        headers={"x-team": "a"},
    )
    stored = found.without_secrets()
    assert stored == {
        "api_provider": "anthropic",
        "max_tokens": 100,
        "max_thinking_tokens": 2000,
        "anthropicUseAuthToken": True,
    }
    again = ProviderSettings.read(stored)
    assert again == found.replace(api_key=None, headers={})
