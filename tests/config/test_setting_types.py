"""Every setting Roo knows is known with its type."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.config.defaults import DEFAULTS
from roo_code.config.project_rules import ADDING, FREE, LOWERING, ONLY, RAISING
from roo_code.config.secret_names import SECRET_KEYS, is_secret
from roo_code.config.service_keys import MODEL_KEYS, address_of_service, key_of_service
from roo_code.config.setting_types import (
    GLOBAL_KEYS,
    KINDS,
    PROVIDER_KEYS,
    RETIRED_KEYS,
    closest,
    faults_of,
    kind_name,
    parse_text,
    variable_of,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "settings"
ROO_KEYS = (GOLDEN / "roo-keys.txt").read_text(encoding="utf-8").split()


def test_all_195_keys_of_roo_are_known() -> None:
    assert len(ROO_KEYS) == 195
    assert {*ROO_KEYS} - {*KINDS} == set()
    assert {*ROO_KEYS} - (PROVIDER_KEYS | GLOBAL_KEYS) == set()


def test_tables_name_only_settings_that_exist() -> None:
    named = {*DEFAULTS, *SECRET_KEYS, *FREE, *ONLY, *ADDING, *LOWERING, *RAISING, *MODEL_KEYS}
    assert named - {*KINDS} == set()
    assert {*RETIRED_KEYS} & {*KINDS} == set()


def test_every_default_is_of_its_type() -> None:
    assert {
        key: faults for key, value in DEFAULTS.items() if (faults := faults_of(key, value))
    } == {}


def test_every_setting_has_a_variable_of_its_own_and_a_type_in_words() -> None:
    assert len({variable_of(key) for key in KINDS}) == len(KINDS)
    assert all(kind_name(key) for key in KINDS)
    assert variable_of("alwaysAllowReadOnly") == "ROO_ALWAYS_ALLOW_READ_ONLY"
    assert variable_of("telemetry.mcp.enabled") == "ROO_TELEMETRY_MCP_ENABLED"
    assert variable_of("rooApiKey") == "ROO_API_KEY"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("mode", 5, "text"),
        ("alwaysAllowMcp", 1, "true or false"),
        ("ttsSpeed", "fast", "a number"),
        ("ttsSpeed", True, "a number"),
        ("ttsSpeed", float("nan"), "a number"),
        ("checkpointTimeout", 15.5, "whole number"),
        ("checkpointTimeout", 5, "between 10 and 60"),
        ("ollamaNumCtx", 1, "at least 128"),
        ("language", "xx", "one of ca, de"),
        ("allowedCommands", "git", "a list"),
        ("allowedCommands", ["git", 1], "text"),
        ("experiments", [], "object"),
        ("experiments", {"customTools": "yes"}, "true or false"),
        ("modelTemperature", 3, "between 0 and 2"),
        ("codebaseIndexConfig", {"codebaseIndexSearchMinScore": 2}, "between 0 and 1"),
        ("customModePrompts", {"code": {"whenToUse": 1}}, "text"),
    ],
)
def test_a_value_of_the_wrong_type_is_found(key: str, value: Any, said: str) -> None:
    faults = faults_of(key, value)
    assert said in faults[0].message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("allowedMaxCost", None),
        ("allowedMaxCost", 2.5),
        ("modelTemperature", None),
        ("modelTemperature", 0),
        ("ttsSpeed", 1),
        ("checkpointTimeout", 15.0),
        ("openAiCustomModelInfo", {"contextWindow": 1, "anything": [None]}),
        ("codebaseIndexConfig", {"somethingNew": 1}),
        ("fakeAi", object()),
    ],
)
def test_a_value_of_the_right_type_is_accepted(key: str, value: Any) -> None:
    assert faults_of(key, value) == []


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("mode", "code", "code"),
        ("mode", "true", "true"),
        ("mcpEnabled", "off", False),
        ("mcpEnabled", "TRUE", True),
        ("checkpointTimeout", "20", 20),
        ("allowedMaxCost", "1.5", 1.5),
        ("allowedMaxCost", "none", None),
        ("allowedCommands", '["a, b"]', ["a, b"]),
    ],
)
def test_text_becomes_a_value_of_the_type(key: str, text: str, value: Any) -> None:
    assert parse_text(key, text) == value


@pytest.mark.parametrize(
    ("key", "text"), [("mcpEnabled", "maybe"), ("ttsSpeed", "NaN"), ("experiments", "{")]
)
def test_text_that_is_none_is_refused(key: str, text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse_text(key, text)


def test_a_misspelt_name_finds_the_right_one() -> None:
    assert closest("alwaysAllowReadonly") == "alwaysAllowReadOnly"
    assert closest("zzz") == ""


@pytest.mark.parametrize(
    ("key", "value", "secret"),
    [
        ("apiKey", "x", True),
        ("openAiHeaders", {"Authorization": "Bearer x"}, True),
        ("glamaApiKey", "x", True),
        ("somethingToken", "x", True),
        ("nested", {"inner": {"password": "x"}}, True),
        ("openRouterBaseUrl", "https://user:pass@host/v1", True),
        ("openRouterBaseUrl", "https://host/v1", False),
        ("apiModelId", "sk-ant-api03-0123456789abcdef", True),
        ("apiModelId", "sk-model", False),
        ("awsUseApiKey", True, False),
        ("anthropicUseAuthToken", True, False),
        ("modelMaxTokens", 5, False),
        ("modeApiConfigs", {"api-key": "id"}, False),
    ],
)
def test_secrets_are_known_by_name_or_by_what_they_hold(key: str, value: Any, secret: bool) -> None:
    assert is_secret(key, value) is secret


def test_each_service_has_settings_of_roos_names() -> None:
    services = ("anthropic", "openrouter", "openai", "gemini", "mistral", "zai", "xai", "litellm")
    assert {key_of_service(service) for service in services} <= SECRET_KEYS
    assert address_of_service("xai") == "apiBaseUrl"
