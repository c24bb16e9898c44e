"""How the settings choose a provider, its address and its key."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from roo_code.client import RooClient
from roo_code.errors import ConfigError
from roo_code.messages import Message, Usage
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.catalog import (
    CATALOG,
    create_provider,
    known_providers,
    register_provider,
)
from roo_code.providers.http_provider import HttpProvider
from roo_code.stream import MessageStop, StreamChunk
from roo_code.testing import ModelServer
from tests.providers.requests import settings
from tests.providers.services import ask, provider_at

KEYED = sorted(id for id, spec in CATALOG.items() if spec.needs_key != "never")
NEEDS_NO_TOKEN = sorted(id for id, spec in CATALOG.items() if spec.signing in (None, "aws"))
"""The others fetch one elsewhere first, which their own tests show."""


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in CATALOG.values():
        for name in spec.key_variables:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-project")  # which Vertex cannot do without


def endpoint(provider: str, **fields: Any) -> Any:
    found = create_provider(settings(provider, **{"api_key": "k-123456", **fields}))
    assert isinstance(found, HttpProvider)
    return found._endpoint


@pytest.mark.parametrize("id", sorted(CATALOG))
def test_every_row_makes_a_provider_with_a_default_model(id: str) -> None:
    provider = create_provider(settings(id, api_key="k-123456"))
    assert isinstance(provider, BaseProvider)
    default = CATALOG[id].default_model
    assert default
    assert provider.model_info().id.endswith(default)  # Bedrock puts a region before it


@pytest.mark.requirement("client:build:provider-map")
@pytest.mark.parametrize(
    "id",
    ["anthropic", "openai", "gemini", "openrouter", "groq", "mistral", "deepseek", "ollama"],
)
def test_a_client_builds_the_provider_its_settings_name(id: str) -> None:
    built = RooClient(settings(id, api_key="k-123456"))._build_provider()
    assert isinstance(built, HttpProvider)
    assert built._endpoint.provider == id
    assert built.model_info().id == CATALOG[id].default_model


@pytest.mark.requirement("client:build:unknown-provider")
def test_an_unknown_provider_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as raised:
        RooClient(settings("antropic"))
    assert "'antropic'" in str(raised.value)
    assert all(id in str(raised.value) for id in known_providers())
    assert raised.value.hint == "Did you mean 'anthropic'?"
    with pytest.raises(ConfigError) as raised:
        create_provider(settings("zzzzzz"))
    assert raised.value.hint == ""


@pytest.mark.parametrize("id", KEYED)
def test_a_missing_key_says_where_to_put_one(id: str) -> None:
    with pytest.raises(ConfigError) as raised:
        create_provider(settings(id))
    assert "--api-key" in str(raised.value)
    assert CATALOG[id].key_variables[0] in str(raised.value)
    with pytest.raises(ConfigError):
        create_provider(settings(id, api_key="  "))


@pytest.mark.requirement("client:key:from-environment")
@pytest.mark.parametrize("id", KEYED)
def test_a_key_that_is_left_out_comes_from_the_environment(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CATALOG[id].key_variables[-1], " from-the-environment\n")
    provider = create_provider(settings(id))
    assert isinstance(provider, HttpProvider)
    sent = {value.removeprefix("Bearer ") for value in provider._endpoint.headers.values()}
    assert "from-the-environment" in sent
    assert "from-the-environment" not in str(endpoint(id).headers)


@pytest.mark.requirement("providers:local:ollama-lmstudio")
@pytest.mark.parametrize(
    ("id", "home"),
    [
        ("ollama", "http://localhost:11434/api/chat"),
        ("lmstudio", "http://localhost:1234/v1/chat/completions"),
    ],
)
async def test_local_servers_need_no_key_and_may_be_anywhere(id: str, home: str) -> None:
    assert endpoint(id, api_key=None).address.whole == home
    async with (
        ModelServer(["Hi."]) as server,
        provider_at(server.url, id, api_key=None) as provider,
    ):
        assert (await ask(provider)).text == "Hi."
    assert "authorization" not in server.requests[0].headers


@pytest.mark.requirement("providers:compatible:groq-mistral-deepseek")
@pytest.mark.parametrize(
    ("id", "url", "variable"),
    [
        ("groq", "https://api.groq.com/openai/v1/chat/completions", "GROQ_API_KEY"),
        ("mistral", "https://api.mistral.ai/v1/chat/completions", "MISTRAL_API_KEY"),
        ("deepseek", "https://api.deepseek.com/chat/completions", "DEEPSEEK_API_KEY"),
    ],
)
async def test_compatible_services_have_their_own_address_and_key(
    id: str, url: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "own-key")
    found = endpoint(id, api_key=None, api_model_id="some-model")
    assert found.address.whole == url
    call = {"id": "callnumb1", "name": "read_file", "input": {"path": "a"}}
    reply = {"text": "I look.", "tool_calls": [call], "usage": {"input_tokens": 5}}
    async with (
        ModelServer([reply], key="own-key") as server,
        provider_at(f"{server.url}/v1", id, api_key=None) as provider,
    ):
        said = await ask(provider)
    assert said.text == "I look."
    assert [(c.id, c.input) for c in said.tool_uses] == [("callnumb1", {"path": "a"})]
    if "stream_options" in server.requests[0].body:  # Mistral tells it unasked
        assert said.usage == Usage(input_tokens=5)
    assert server.problems() == []


def test_a_compatible_endpoint_elsewhere_needs_no_key() -> None:
    assert endpoint("openai", api_key=None, api_base_url="http://localhost:8000/v1").address.whole
    with pytest.raises(ConfigError):
        create_provider(settings("openai"))


@pytest.mark.requirement("providers:catalogue:twenty-three")
def test_there_are_more_than_twenty_three_services_and_those_everybody_knows() -> None:
    assert len(NEEDS_NO_TOKEN) >= 23  # the next test has a reply from each of them
    assert {*known_providers()} >= {
        "anthropic", "openai", "gemini", "bedrock", "vertex", "openrouter", "litellm", "ollama",
        "lmstudio", "humanrelay", "groq", "mistral", "deepseek",
    }  # fmt: skip


@pytest.mark.requirement("client:base-url:override", "providers:catalogue:twenty-three")
@pytest.mark.parametrize("id", NEEDS_NO_TOKEN)
async def test_every_request_goes_to_the_address_that_is_set(id: str) -> None:
    extra = {"reasoning", "usage", "provider", "thinking"}
    async with (
        ModelServer(["Hi."], extra_fields=extra) as server,
        provider_at(f"{server.url}/v1", id) as provider,
    ):
        assert (await ask(provider)).text == "Hi."
    assert server.problems() == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("id", "base", "url"),
    [
        ("anthropic", "https://h", "https://h/v1/messages"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
        ("anthropic", "https://h/v1/messages", "https://h/v1/messages"),
        ("anthropic", "https://h/proxy/", "https://h/proxy/v1/messages"),
        ("openai", "https://h/v1", "https://h/v1/chat/completions"),
        ("openai", "https://h/x?api-version=1", "https://h/x/chat/completions?api-version=1"),
        ("openai", "https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("ollama", "http://h:1", "http://h:1/api/chat"),
        ("ollama", "http://h:1/v1", "http://h:1/api/chat"),
        ("lmstudio", "http://h:1", "http://h:1/v1/chat/completions"),
        ("lmstudio", "http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("mistral", "https://h", "https://h/v1/chat/completions"),
        (
            "minimax",
            "https://api.minimaxi.com/v1",
            "https://api.minimaxi.com/anthropic/v1/messages",
        ),
    ],
)
def test_an_address_is_completed_as_the_format_needs(id: str, base: str, url: str) -> None:
    assert endpoint(id, api_base_url=base).address.whole == url


def test_a_row_may_have_several_addresses_to_choose_from() -> None:
    assert endpoint("zai").address.whole == "https://api.z.ai/api/coding/paas/v4/chat/completions"
    chosen = endpoint("zai", zaiApiLine="china_api")
    assert chosen.address.whole == "https://open.bigmodel.cn/api/paas/v4/chat/completions"


def test_a_row_may_serve_some_models_elsewhere() -> None:
    apart = endpoint("mistral", api_model_id="codestral-2508").address.whole
    assert apart == "https://codestral.mistral.ai/v1/chat/completions"
    chosen = endpoint("mistral", mistralCodestralUrl="https://h/codestral").address.whole
    assert chosen == "https://h/codestral/v1/chat/completions"
    other = endpoint("mistral", mistralCodestralUrl="https://h", api_model_id="mistral-large")
    assert other.address.whole == "https://api.mistral.ai/v1/chat/completions"


def test_an_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    home = "https://api.roocode.com/proxy/v1/chat/completions"
    assert endpoint("roo").address.whole == home
    monkeypatch.setenv("ROO_CODE_PROVIDER_URL", "http://localhost:1/proxy")
    assert endpoint("roo").address.whole == "http://localhost:1/proxy/v1/chat/completions"


@pytest.mark.parametrize("base", ["http://", "http://h:99999", "http://[::1"])
def test_an_impossible_address_is_told_before_anything_is_sent(base: str) -> None:
    with pytest.raises(ConfigError, match="base URL"):
        endpoint("openai", api_base_url=base)


def test_headers_of_the_settings_are_sent_and_win() -> None:
    headers = endpoint("openai", headers={"X-Team": "a", "User-Agent": "mine"}).headers
    assert (headers["x-team"], headers["user-agent"]) == ("a", "mine")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"api_key": "klüssel"}, "The key holds"),
        ({"api_key": "a\nb"}, "The key holds"),
        ({"headers": {"X-A": "a\r\nX-B: b"}}, "The header 'x-a' holds"),
        ({"headers": {"X A": "a"}}, "The header 'x a' holds"),
    ],
)
def test_what_cannot_be_sent_in_a_header_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        endpoint("openai", **fields)
    assert "klüssel" not in str(raised.value)


def test_what_the_user_knows_of_a_model_counts() -> None:
    custom: dict[str, Any] = {
        "contextWindow": 32_000,
        "maxTokens": -1,
        "inputPrice": 1.5,
        "supportsImages": False,
    }
    provider = create_provider(
        settings("ollama", api_model_id="mine", openAiCustomModelInfo=custom)
    )
    assert provider.model_info() == ModelInfo(
        id="mine",
        context_window=32_000,
        input_price=1.5,
        output_price=0,
        supports_images=False,
    )


def test_the_prices_are_those_of_the_address_in_use() -> None:
    here, there = (
        create_provider(settings("zai", api_key="k", zaiApiLine=line)).model_info().input_price
        for line in ("international_api", "china_api")
    )
    assert (here, there) == (0.6, 0.29)


def test_a_longer_context_is_had_by_asking_for_it() -> None:
    for wanted, window in ((False, 200_000), (True, 1_000_000)):
        chosen = settings("anthropic", api_key="k", anthropicBeta1MContext=wanted)
        assert create_provider(chosen).model_info().context_window == window
    old = settings("anthropic", api_model_id="claude-3-opus-20240229", anthropicBeta1MContext=True)
    assert create_provider(old.replace(api_key="k")).model_info().context_window == 200_000


def test_what_the_user_knows_of_its_reasoning_counts_too() -> None:
    told: list[tuple[dict[str, Any], bool | None, tuple[str, ...]]] = [
        ({"supportsReasoningEffort": ["low", "high"]}, True, ("low", "high")),
        ({"supportsReasoningEffort": False}, False, ()),
        ({"supportsReasoningBudget": True}, True, ()),
        ({"contextWindow": 1}, None, ()),
    ]
    for custom, supported, efforts in told:
        chosen = settings("openai", api_key="k", api_model_id="m", openAiCustomModelInfo=custom)
        found = create_provider(chosen).model_info()
        assert (found.supports_reasoning, found.reasoning_efforts) == (supported, efforts)


async def test_the_service_is_told_of_which_task_a_request_is() -> None:
    request = ModelRequest(
        system_prompt="", messages=(Message.from_user("Hi"),), metadata={"task_id": "t-1"}
    )
    async with (
        ModelServer(["Hi."], extra_fields={"reasoning"}) as server,
        provider_at(f"{server.url}/v1", "roo") as provider,
    ):
        await ask(provider, request)
        assert server.requests[0].headers["x-roo-task-id"] == "t-1"


def test_ids_that_stand_for_files_say_which_they_need(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="recording") as raised:
        create_provider(settings("replay"))
    assert "--replay FILE" in raised.value.hint
    with pytest.raises(ConfigError, match="only a program") as raised:
        create_provider(settings("scripted"))
    assert "ScriptedProvider" in raised.value.hint
    recording = Path(__file__).with_name("recording-1.jsonl")
    provider = create_provider(settings("replay", replayFile=str(recording)))
    assert provider.model_info().id
    with pytest.raises(ConfigError, match="cannot be read"):
        create_provider(settings("replay", replayFile=str(tmp_path / "none")))


@pytest.mark.parametrize("id", ["cerebras", "vscode-lm", "fake-ai", "openai-codex"])
def test_what_roo_offers_and_we_do_not_is_answered_with_what_to_do(id: str) -> None:
    with pytest.raises(ConfigError, match=f"no provider '{id}' here") as raised:
        create_provider(settings(id))
    assert raised.value.hint


class Outside(BaseProvider):
    def __init__(self, model: str) -> None:
        self.model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        yield MessageStop()

    def model_info(self) -> ModelInfo:
        return ModelInfo(id=self.model)


@pytest.mark.requirement("providers:plugin:register", "providers:base:interface")
async def test_a_provider_from_outside_can_be_registered_and_chosen() -> None:
    register_provider("outside", lambda chosen: Outside(chosen.api_model_id))
    client = RooClient(settings("outside", api_model_id="m"))
    assert isinstance(client.provider, Outside)
    assert client.model_info == ModelInfo(id="m")
    assert client.provider.count_tokens("hello world") == 2
    assert [
        chunk async for chunk in client.provider.stream(ModelRequest(system_prompt="", messages=()))
    ]
    assert "outside" in known_providers()
    with pytest.raises(ConfigError, match="taken"):
        register_provider("anthropic", lambda chosen: Outside("m"))
    with pytest.raises(ConfigError, match="taken"):
        register_provider("replay", lambda chosen: Outside("m"))
