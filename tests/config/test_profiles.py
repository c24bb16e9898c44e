"""Profiles: created, changed, chosen and removed; their keys apart."""

import json
from typing import Any

import pytest

from roo_code.config.run_settings import (
    provider_options,
    secrets_for,
    service_secrets,
    stored_provider,
)
from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from tests.config.homes import Home

PLANTED = "sk-planted-0123456789"
WORK = {"apiProvider": "anthropic", "apiModelId": "claude-x", "apiKey": PLANTED}


def provider_of(home: Home, task: dict[str, Any] | None = None) -> ProviderSettings:
    settings = home.resolve(task)
    options = provider_options(settings)
    secrets = service_secrets(settings, options["apiProvider"], home.secrets())
    return ProviderSettings.read({**options, **secrets})


def key_of(home: Home, task: dict[str, Any] | None = None) -> str | None:
    key = provider_of(home, task).api_key
    return key.get_secret_value() if key else None


def test_a_profile_is_made_without_its_key_in_the_file(home: Home) -> None:
    profiles = home.profiles()
    made = profiles.create("work", WORK)
    assert (made.name, made.provider, made.model, made.active) == (
        "work",
        "anthropic",
        "claude-x",
        True,
    )
    assert profiles.secrets_of(made.id) == {"apiKey": PLANTED}
    assert PLANTED not in home.profiles_file.read_text(encoding="utf-8")
    assert PLANTED not in repr(made) + repr(profiles)
    assert provider_of(home).api_model_id == "claude-x"
    assert key_of(home) == PLANTED


def test_names_are_unique_and_must_exist(home: Home) -> None:
    profiles = home.profiles()
    profiles.create("work", WORK)
    secrets = home.secrets().all()
    with pytest.raises(ConfigError, match="exists already"):
        profiles.create("work", WORK)
    assert home.secrets().all() == secrets
    with pytest.raises(ConfigError, match="'nowhere'") as caught:
        profiles.activate("nowhere")
    assert caught.value.hint == "There are: work."
    with pytest.raises(ConfigError, match="cannot be the name"):
        profiles.create(" ", WORK)
    with pytest.raises(ConfigError, match="'mode' is no setting of a provider"):
        profiles.create("other", {"apiProvider": "openai", "mode": "ask"})
    with pytest.raises(ConfigError, match="must be at least 128"):
        profiles.update("work", {"ollamaNumCtx": 1})


def test_rename_copy_and_delete(home: Home) -> None:
    profiles = home.profiles()
    work = profiles.create("work", WORK)
    profiles.rename("work", "office")
    assert profiles.get("office").id == work.id
    assert profiles.get("office").active
    copied = profiles.copy("office", "home")
    assert copied.id != work.id
    assert profiles.secrets_of(copied.id) == {"apiKey": PLANTED}
    with pytest.raises(ConfigError, match="exists already"):
        profiles.rename("office", "home")
    profiles.update("home", {"apiKey": "other"})
    assert key_of(home) == PLANTED
    profiles.activate("home", "ask")
    profiles.delete("office")
    assert [(p.name, p.active, p.modes) for p in profiles.list_profiles()] == [
        ("home", True, ("ask",))
    ]
    assert {*home.secrets().all()} == {f"profile:{copied.id}"}
    profiles.delete("home")
    assert profiles.list_profiles() == []
    assert home.secrets().all() == {}
    assert home.resolve().problems == ()


def test_a_change_keeps_the_rest_and_moves_secrets_where_they_belong(home: Home) -> None:
    profiles = home.profiles()
    id = profiles.create("work", WORK | {"somethingNew": 1}).id
    profiles.update("work", {"apiModelId": "claude-y", "openAiHeaders": {"X": PLANTED}})
    assert profiles.get("work").settings == {
        "apiProvider": "anthropic",
        "apiModelId": "claude-y",
        "somethingNew": 1,
    }
    assert profiles.secrets_of(id) == {"apiKey": PLANTED, "openAiHeaders": {"X": PLANTED}}
    profiles.update("work", {"apiKey": "${env:WORK_KEY}", "openAiHeaders": None})
    assert profiles.secrets_of(id) == {}
    assert profiles.get("work").settings["apiKey"] == "${env:WORK_KEY}"
    home.environ["WORK_KEY"] = "sk-named"
    assert key_of(home) == "sk-named"


def test_a_mode_may_have_a_profile_of_its_own(home: Home) -> None:
    profiles = home.profiles()
    profiles.create("work", WORK)
    profiles.create("thinker", {"apiProvider": "openrouter", "openRouterModelId": "o/r"})
    profiles.activate("thinker", "architect")
    assert provider_of(home).api_provider == "anthropic"
    assert provider_of(home, {"mode": "architect"}).api_provider == "openrouter"
    home.user({"lockApiConfigAcrossModes": True})
    assert provider_of(home, {"mode": "architect"}).api_provider == "anthropic"
    home.user({})
    profiles.release_mode("architect")
    assert provider_of(home, {"mode": "architect"}).api_provider == "anthropic"


def test_a_layer_above_may_name_the_profile_or_override_its_values(home: Home) -> None:
    profiles = home.profiles()
    profiles.create("work", WORK)
    profiles.create("thinker", {"apiProvider": "openrouter", "openRouterModelId": "o/r"})
    home.user({"apiModelId": "below the profile"})
    assert provider_of(home).api_model_id == "claude-x"
    assert provider_of(home, {"apiModelId": "above"}).api_model_id == "above"
    home.project({"currentApiConfigName": "thinker"})
    settings = home.resolve()
    assert settings.profile is not None
    assert settings.profile.name == "thinker"
    assert settings.origin("apiProvider").layer == "profile"
    assert settings.origin("apiProvider").line == 11
    home.project({"currentApiConfigName": "nowhere"})
    (problem,) = home.resolve().problems
    assert "no such profile" in problem.message
    assert "work, thinker" in problem.hint


def test_keys_are_found_in_order_and_only_those_of_the_service(home: Home) -> None:
    home.user({"apiProvider": "openrouter"})
    home.secrets().store_secrets({"apiKey": "of-anthropic", "openRouterApiKey": "for-all"})
    assert key_of(home) == "for-all"
    home.environ["NAMED"] = "named-in-file"
    home.user({"apiProvider": "openrouter", "openRouterApiKey": "${env:NAMED}"})
    assert key_of(home) == "named-in-file"
    home.profiles().create(
        "router", {"apiProvider": "openrouter", "openRouterApiKey": "of-profile"}
    )
    assert key_of(home) == "of-profile"
    home.environ["ROO_OPEN_ROUTER_API_KEY"] = "environment"
    assert key_of(home) == "environment"
    assert key_of(home, {"openRouterApiKey": "task"}) == "task"
    assert key_of(home, {"apiProvider": "mistral"}) is None
    options = provider_options(home.resolve())
    assert "of-anthropic" not in json.dumps(
        service_secrets(home.resolve(), "openrouter", home.secrets())
    )
    assert options == {"apiProvider": "openrouter"}


def test_the_services_own_variable_wins_and_the_store_is_not_opened(home: Home) -> None:
    home.profiles().create("work", WORK)
    asked = ("anthropic", ("ANTHROPIC_API_KEY",), home.layers(), home.secrets())
    assert secrets_for(*asked) == {"apiKey": PLANTED}
    home.secrets_file.write_text("broken", encoding="utf-8")
    home.environ["ANTHROPIC_API_KEY"] = "sk-environment"
    assert secrets_for(*asked) == {}
    home.environ["ROO_ANTHROPIC_API_KEY"] = "sk-ours"
    assert secrets_for(*asked) == {"apiKey": "sk-ours"}


def test_what_a_task_stores_has_our_names_and_no_secret(home: Home) -> None:
    assert stored_provider(home.resolve()) == {}
    home.user({"apiModelId": "some-model"})
    assert stored_provider(home.resolve()) == {"api_model_id": "some-model"}
    home.profiles().create("work", WORK | {"reasoningEffort": "high", "zaiApiLine": "china_api"})
    assert stored_provider(home.resolve()) == {
        "api_provider": "anthropic",
        "api_model_id": "claude-x",
        "reasoning_effort": "high",
        "zaiApiLine": "china_api",
    }


def test_only_what_somebody_chose_goes_into_a_task(home: Home) -> None:
    home.user({"apiProvider": "openai", "openAiModelId": "gpt", "consecutiveMistakeLimit": 3})
    provider = provider_of(home)
    assert provider.api_model_id == "gpt"
    assert provider.without_secrets() == {"api_provider": "openai", "api_model_id": "gpt"}


def test_a_broken_file_of_profiles_is_told_and_stops_no_run(home: Home) -> None:
    home.write(home.profiles_file, "{")
    assert home.resolve().profile is None
    with pytest.raises(ConfigError, match="line 1"):
        home.profiles().list_profiles()
    home.write(home.profiles_file, {"apiConfigs": {"x": 5}, "currentApiConfigName": "x"})
    assert home.profiles().list_profiles() == []
    assert home.resolve().get("apiProvider") is None


def test_a_secret_put_into_the_file_by_hand_is_reported_and_not_spread(home: Home) -> None:
    home.profiles().create("work", {"apiProvider": "anthropic"})
    data = json.loads(home.profiles_file.read_bytes())
    data["apiConfigs"]["work"]["apiKey"] = PLANTED
    home.write(home.profiles_file, data)
    settings = home.resolve()
    assert settings.secrets == {}
    assert "apiKey = (hidden)" in str(settings.problems[0])
    with pytest.raises(ConfigError, match="apiKey must not stand in the file"):
        home.profiles().update("work", {"apiModelId": "x"})
    home.profiles().update("work", {"apiKey": PLANTED})  # which moves it
    assert home.resolve().problems == ()
    assert PLANTED not in home.profiles_file.read_text(encoding="utf-8")
