"""Models as services list them, kept for when they cannot be asked."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.errors import (
    AuthenticationFailed,
    ConfigError,
    ConnectionFailed,
    ProtocolError,
    RooCodeError,
)
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import CATALOG, create_provider
from roo_code.providers.live_models import Asking, Listed, fetch_models, list_models
from roo_code.providers.model_cache import VERSION, ModelList, cached_model, read_list, write_list
from tests.providers.oracles.serving import Reply, json_reply, serving
from tests.providers.requests import settings
from tests.providers.services import ask

KEY = "sk-test-0123456789"
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path))
    for spec in CATALOG.values():
        for name in spec.key_variables:
            monkeypatch.delenv(name, raising=False)
    return tmp_path


def at(url: str, provider: str = "openrouter", **fields: Any) -> ProviderSettings:
    return settings(provider, api_base_url=url, **{"api_key": KEY, **fields})


ROUTED = {
    "data": [
        {
            "id": "maker/one",
            "context_length": 64_000,
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {
                "prompt": "0.0000005",
                "completion": "0.000002",
                "input_cache_read": "0.00000005",
                "input_cache_write": "0",
            },
            "top_provider": {"context_length": 60_000, "max_completion_tokens": 9_000},
            "supported_parameters": ["tools", "reasoning", "max_tokens"],
        },
        {"id": "anthropic/claude-sonnet-4.5", "pricing": {"prompt": "-1", "completion": "-1"}},
    ]
}
ONE = ModelInfo(
    id="maker/one",
    context_window=64_000,
    max_output_tokens=9_000,
    input_price=0.5,
    output_price=2,
    cache_read_price=0.05,
    supports_images=True,
    supports_reasoning=True,
    supports_temperature=False,
)


@pytest.mark.requirement("providers:openrouter:native")
async def test_the_models_that_openrouter_offers_now_are_listed_and_one_is_used() -> None:
    stream = (
        b'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\n'
        b"data: [DONE]\n\n"
    )
    events = Reply(stream, headers={"content-type": "text/event-stream"})
    with serving(json_reply(ROUTED), events) as server:
        chosen = at(f"{server.url}/api/v1")
        claude, one = (await list_models(chosen)).models
        assert one == ONE
        # Of this one the service told nothing but its name; our table knows it.
        assert (claude.id, claude.input_price) == ("anthropic/claude-sonnet-4.5", 3)
        provider = create_provider(chosen.replace(api_model_id="maker/one"))
        assert provider.model_info() == ONE
        assert (await ask(provider)).text == "Hi."
        await provider.aclose()
    asked, streamed = server.requests
    assert (asked.method, asked.path, asked.body) == ("GET", "/api/v1/models", b"")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert streamed.json()["model"] == "maker/one"


@pytest.mark.requirement("providers:litellm:native")
async def test_the_models_of_a_litellm_proxy_are_listed() -> None:
    info = {
        "max_input_tokens": 100_000,
        "max_output_tokens": 4_000,
        "input_cost_per_token": 0.000001,
        "output_cost_per_token": 0.000003,
        "supports_vision": False,
        "supports_function_calling": True,
    }
    answer = {
        "data": [
            {"model_name": "house-model", "litellm_params": {}, "model_info": info},
            {"model_name": "embedder", "model_info": {"mode": "embedding"}},
        ]
    }
    with serving(json_reply(answer)) as server:
        found = await fetch_models(at(server.url, "litellm", api_key=None))
    assert found == (
        ModelInfo(
            id="house-model",
            context_window=100_000,
            max_output_tokens=4_000,
            input_price=1,
            output_price=3,
            supports_images=False,
        ),
    )
    assert server.requests[0].path == "/v1/model/info"
    assert "authorization" not in server.requests[0].headers


async def test_ollama_is_asked_about_each_of_its_models() -> None:
    tags = {"models": [{"name": "a:7b", "model": "a:7b"}, {"name": "b:1b"}]}
    shown = {
        "model_info": {"general.architecture": "qwen", "qwen.context_length": 32_768},
        "capabilities": ["completion", "tools"],
    }
    with serving(json_reply(tags), json_reply(shown)) as server:
        found = await fetch_models(at(server.url, "ollama", api_key=None))
    assert found == tuple(
        ModelInfo(
            id=id,
            context_window=32_768,
            input_price=0,
            output_price=0,
            supports_images=False,
            supports_reasoning=False,
        )
        for id in ("a:7b", "b:1b")
    )
    first, *others = server.requests
    assert (first.method, first.path) == ("GET", "/api/tags")
    assert {(r.method, r.path, r.json()["model"]) for r in others} == {
        ("POST", "/api/show", "a:7b"),
        ("POST", "/api/show", "b:1b"),
    }


def a_list(at: float, *ids: str, address: str = NOWHERE) -> ModelList:
    return ModelList(VERSION, at, address, tuple(ModelInfo(id=id) for id in ids))


def ids(found: Listed) -> list[str]:
    return [model.id for model in found.models]


@pytest.mark.parametrize(
    ("asking", "age", "requests"),
    [("if_old", 299, 0), ("if_old", 301, 1), ("if_old", -10, 1), ("now", 1, 1), ("never", 9e9, 0)],
)
async def test_a_service_is_asked_once_in_five_minutes_or_as_one_likes(
    asking: Asking, age: float, requests: int
) -> None:
    with serving(json_reply(ROUTED)) as server:
        write_list("openrouter", a_list(1e9, "old", address=server.url))
        found = await list_models(at(server.url), asking, lambda: 1e9 + age)
    assert len(server.requests) == requests
    assert ("old" in ids(found)) == (requests == 0)
    kept = read_list("openrouter", server.url)
    assert kept is not None
    assert kept.fetched_at == (1e9 + age if requests else 1e9)


@pytest.mark.parametrize(
    ("age", "words"), [(301, "5 min"), (7_200, "2 h"), (3 * 86_400, "3 days"), (0, "0 min")]
)
async def test_what_was_told_last_is_used_when_the_service_cannot_be_reached(
    age: float, words: str
) -> None:
    write_list("openrouter", a_list(1e9, "old"))
    found = await list_models(at(NOWHERE), "now", lambda: 1e9 + age)
    assert ids(found) == ["old"]
    assert "Could not connect" in found.note
    assert f"This is what openrouter told {words} ago." in found.note


async def test_else_there_is_our_own_table() -> None:
    for asking, words in {"now": "Could not connect", "never": "was not asked"}.items():
        found = await list_models(at(NOWHERE, "deepseek"), asking)  # pyright: ignore[reportArgumentType]
        assert ids(found) == ["deepseek-chat", "deepseek-reasoner"]
        assert words in found.note
        assert "hese are the models that this version knows" in found.note
    found = await list_models(settings("anthropic"))
    assert "no API key for anthropic" in found.note
    assert "claude-sonnet-4-5" in ids(found)
    # It lists none, so there is nothing to say about that.
    assert (await list_models(settings("minimax"))).note == ""
    with pytest.raises(ConfigError, match="Known providers"):
        await list_models(settings("nobody"))


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (json_reply({"data": []}), ProtocolError, "lists no models"),
        (json_reply({"data": 3}), ProtocolError, "lists no models"),
        (json_reply("no"), ProtocolError, "lists no models"),
        (Reply(b"{", headers={"content-type": "application/json"}), ProtocolError, "not JSON"),
        (Reply(b"<p>", headers={"content-type": "text/html"}), ConfigError, "not with JSON"),
        (
            json_reply({"error": {"message": f"bad key {KEY}"}}, 401),
            AuthenticationFailed,
            "bad key",
        ),
    ],
)
async def test_what_is_no_list_is_told_and_not_kept(
    reply: Reply, error: type[RooCodeError], words: str, home: Path
) -> None:
    with serving(reply) as server:
        with pytest.raises(error, match=words) as raised:
            await fetch_models(at(server.url))
        assert KEY not in str(raised.value)
        assert words in (await list_models(at(server.url))).note
    assert not (home / "cache").exists()


async def test_a_task_knows_what_its_service_told_without_asking_it() -> None:
    write_list("openrouter", ModelList(VERSION, 0, NOWHERE, (ONE,)))
    chosen = at(NOWHERE, api_model_id="maker/one")
    assert create_provider(chosen).model_info() == ONE
    elsewhere = chosen.replace(api_base_url="http://127.0.0.1:2")
    assert create_provider(elsewhere).model_info() == ModelInfo(id="maker/one")
    with pytest.raises(ConnectionFailed):
        await fetch_models(chosen)


@pytest.mark.parametrize("data", [b"", b"{", b'{"models": 1}', b'[9, 0, "", []]', b"\xff"])
def test_a_damaged_list_is_none(data: bytes, home: Path) -> None:
    write_list("openrouter", a_list(0, "x", address=""))
    assert cached_model("openrouter", "x") == ModelInfo(id="x")
    (home / "cache" / "models" / "openrouter.json").write_bytes(data)
    assert read_list("openrouter") is None
    assert cached_model("openrouter", "x") is None


def test_a_name_from_outside_leads_nowhere_else(home: Path) -> None:
    write_list("../../x", a_list(0, "m", address=""))
    assert [path.name for path in (home / "cache" / "models").iterdir()] == ["______x.json"]
    assert cached_model("../../x", "m") is not None


async def test_a_list_that_cannot_be_kept_is_still_shown(home: Path) -> None:
    (home / "cache").write_text("in the way")
    with serving(json_reply(ROUTED)) as server:
        found = await list_models(at(server.url))
    assert "maker/one" in ids(found)
    assert "cannot be written" in found.note
