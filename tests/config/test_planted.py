"""A planted key is found nowhere: not in files, logs, texts, errors or exports."""

import json
import logging
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from roo_code.config.run_settings import provider_options, service_secrets
from roo_code.config.schema import ProviderSettings
from roo_code.config.settings_file import SettingsFile
from roo_code.errors import ConfigError
from tests.config.homes import Home

PLANTED = "sk-ant-PLANTED-c0ffee"


def fail_in_every_way(home: Home) -> list[str]:
    """What is said when things go wrong around a secret."""
    proxy, profiles, secrets = home.proxy(), home.profiles(), home.secrets()
    attempts: list[Callable[[], Any]] = [
        lambda: proxy.set_value("apiKey", [PLANTED]),
        lambda: proxy.set_value("openAiHeaders", {"Authorization": 5, "X": PLANTED}),
        lambda: proxy.set_value("notASetting", PLANTED),
        lambda: proxy.set_values({"apiKey": PLANTED, "mode": 5}),
        lambda: SettingsFile(home.user_file).update({"apiKey": PLANTED}),
        lambda: profiles.create("work", {"apiKey": PLANTED}),
        lambda: profiles.create("new", {"apiKey": {"x": PLANTED}}),
        lambda: ProviderSettings.read({"apiProvider": "", "apiKey": PLANTED}),
    ]
    said: list[str] = []
    for attempt in attempts:
        with pytest.raises(ConfigError) as caught:
            attempt()
        said += ["".join(traceback.format_exception(caught.value)), caught.value.hint]
    home.secrets_file.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        secrets.store_secret("apiKey", PLANTED)
    return [*said, "".join(traceback.format_exception(caught.value))]


@pytest.mark.requirement("config:secrets:separate")
def test_a_planted_key_is_found_nowhere(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    proxy, profiles = home.proxy(), home.profiles()
    proxy.set_values({"apiKey": PLANTED, "openAiHeaders": {"Authorization": PLANTED}})
    work = profiles.create("work", {"apiProvider": "anthropic", "apiKey": PLANTED})
    home.environ |= {"ROO_MISTRAL_API_KEY": PLANTED, "NAMED": PLANTED}
    home.write(home.host_file, {"geminiApiKey": "${env:NAMED}"})
    settings = home.resolve({"xaiApiKey": PLANTED, "unknownToken": PLANTED})
    secrets = service_secrets(settings, "anthropic", home.secrets())
    provider = ProviderSettings.read({**provider_options(settings), **secrets})
    assert secrets["apiKey"] == PLANTED

    texts = [
        *(repr(thing) for thing in (proxy, profiles, work, provider, home.secrets())),
        *(repr(thing) for thing in (proxy.get_values(), home.layers())),
        *(str(problem) + problem.hint + repr(problem) for problem in settings.problems),
        json.dumps(home.exchange().export()),
        json.dumps(provider.without_secrets()),
        *(content.decode(errors="replace") for content in home.contents().values()),
        *fail_in_every_way(home),
        caplog.text,
    ]
    assert [text for text in texts if PLANTED in text] == []


def test_a_secret_that_a_plain_setting_was_given_by_a_variable_is_not_taken_for_one(
    home: Home,
) -> None:
    """The limit: what a person names in a setting that is not secret is that setting's value."""
    home.environ["NAMED"] = PLANTED
    home.user({"customInstructions": "Use ${env:NAMED}."})
    settings = home.resolve()
    assert settings.get("customInstructions") == f"Use {PLANTED}."
    assert PLANTED not in home.user_file.read_text(encoding="utf-8")
