"""`ContextProxy`: one typed door to settings and secrets."""

import json
from typing import Any

import pytest

from roo_code.config.setting_types import KINDS
from roo_code.errors import ConfigError
from tests.config.homes import Home


@pytest.mark.requirement("config:proxy:typed")
def test_values_are_got_and_set_by_their_names(home: Home) -> None:
    proxy = home.proxy()
    assert proxy.get_value("mode") == "code"
    proxy.set_value("mode", "ask")
    proxy.setValue("allowedMaxCost", 2.5)
    assert proxy.getValue("mode") == "ask"
    assert json.loads(home.user_file.read_bytes())["allowedMaxCost"] == 2.5
    assert home.proxy().get_value("mode") == "ask"
    proxy.set_value("mode", None)
    assert proxy.get_value("mode") == "code"


@pytest.mark.requirement("config:proxy:typed")
@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("modee", "ask", "'modee'"),
        ("mode", 5, "'mode'"),
        ("mcpEnabled", "yes", "'mcpEnabled'"),
        ("codebaseIndexConfig", {"codebaseIndexSearchMinScore": 9}, "codebaseIndexSearchMinScore"),
        ("apiKey", 5, "'apiKey'"),
    ],
)
def test_unknown_keys_and_wrong_types_are_refused_by_name(
    home: Home, key: str, value: Any, named: str
) -> None:
    proxy = home.proxy()
    with pytest.raises(ConfigError, match=named):
        proxy.set_value(key, value)
    with pytest.raises(ConfigError, match=named):
        proxy.set_values({"language": "de", key: value})
    assert proxy.get_value("language") is None  # all or nothing
    if key not in KINDS:
        with pytest.raises(ConfigError, match=named) as caught:
            proxy.get_value(key)
        assert caught.value.hint == "Did you mean mode?"


@pytest.mark.requirement("config:proxy:bulk")
def test_several_are_stored_and_all_returned_secrets_and_plain_alike(home: Home) -> None:
    proxy = home.proxy()
    values = {
        "mode": "ask",
        "apiKey": "sk-one",
        "openAiHeaders": {"Authorization": "Bearer token-2"},
        "openRouterBaseUrl": "https://me:three@proxy/v1",
        "mcpEnabled": False,
    }
    proxy.set_values(values)
    for again in (proxy, home.proxy()):
        got = again.get_values()
        assert {key: got[key] for key in values} == values
        assert got["writeDelayMs"] == 1000
        assert again.get_value("openAiHeaders") == {"Authorization": "Bearer token-2"}
        for hidden in ("sk-one", "token-2", "three"):
            assert hidden not in repr(got) + repr(again) + repr(again.settings)
    assert json.loads(home.user_file.read_bytes()) == {
        "settingsVersion": 1,
        "mode": "ask",
        "mcpEnabled": False,
    }
    proxy.set_value("openRouterBaseUrl", "https://proxy/v1")
    assert home.proxy().get_value("openRouterBaseUrl") == "https://proxy/v1"
    proxy.set_values({"apiKey": None, "mode": None})
    assert home.proxy().get_value("apiKey") is None


@pytest.mark.requirement("config:proxy:cache")
def test_reads_come_from_memory_and_a_write_reaches_memory_and_store_together(home: Home) -> None:
    home.user({"mode": "ask"})
    home.secrets().store_secret("apiKey", "sk-one")
    proxy = home.proxy()
    for path in (home.user_file, home.secrets_file):
        path.rename(path.with_suffix(".away"))
    assert proxy.get_value("mode") == "ask"
    assert proxy.get_value("apiKey") == "sk-one"
    for path in (home.user_file, home.secrets_file):
        path.with_suffix(".away").rename(path)
    proxy.set_values({"mode": "debug", "apiKey": "sk-two"})
    assert (proxy.get_value("mode"), proxy.get_value("apiKey")) == ("debug", "sk-two")
    assert json.loads(home.user_file.read_bytes())["mode"] == "debug"
    assert home.secrets().get("apiKey") == "sk-two"


def test_a_write_that_fails_leaves_memory_as_it_was(home: Home) -> None:
    home.user({"mode": "ask"})
    proxy = home.proxy()
    home.user("{ broken")
    with pytest.raises(ConfigError):
        proxy.set_value("mode", "debug")
    assert proxy.get_value("mode") == "ask"


@pytest.mark.requirement("config:proxy:pass-through")
def test_large_values_go_straight_to_storage_and_are_never_kept(home: Home) -> None:
    proxy = home.proxy()
    history = [{"id": str(n), "task": "x" * 50} for n in range(100)]
    proxy.set_value("taskHistory", history)
    assert not home.user_file.exists()
    assert proxy.get_value("taskHistory") == history
    file = home.path / "settings" / "taskHistory.json"
    file.write_text("[]", encoding="utf-8")
    assert proxy.get_value("taskHistory") == []
    assert "taskHistory" not in proxy.get_values()
    proxy.set_value("taskHistory", None)
    assert proxy.get_value("taskHistory") is None


def test_what_was_read_may_be_changed_without_effect(home: Home) -> None:
    home.user({"allowedCommands": ["git status"]})
    proxy = home.proxy()
    proxy.get_value("allowedCommands").append("rm")
    proxy.get_values()["allowedCommands"].append("rm")
    assert proxy.get_value("allowedCommands") == ["git status"]


def test_the_environment_overrides_what_is_stored(home: Home) -> None:
    home.proxy().set_values({"mode": "ask", "openRouterApiKey": "sk-stored"})
    home.environ |= {"ROO_MODE": "debug", "ROO_OPEN_ROUTER_API_KEY": "sk-environment"}
    proxy = home.proxy()
    assert proxy.get_value("mode") == "debug"
    assert proxy.get_value("openRouterApiKey") == "sk-environment"
    assert home.secrets().get("openRouterApiKey") == "sk-stored"


def test_secrets_that_cannot_be_opened_stop_only_their_own_use(home: Home) -> None:
    home.proxy().set_value("apiKey", "sk-one")
    home.secrets_file.write_text("{}", encoding="utf-8")
    proxy = home.proxy()
    assert proxy.get_value("mode") == "code"
    assert "apiKey" not in proxy.get_values()
    with pytest.raises(ConfigError, match="cannot be opened"):
        proxy.get_value("apiKey")
