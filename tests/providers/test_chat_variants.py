"""Endpoints of the user's own that differ from OpenAI's: Azure, and servers that do not stream."""

import json
from typing import Any

import pytest

from roo_code.errors import ConfigError, RateLimited
from roo_code.messages import Usage
from roo_code.providers.catalog import create_provider
from roo_code.providers.framing import WholeParser, WireEvent
from roo_code.providers.http_provider import HttpProvider
from tests.providers.raw_server import answer, raw_server
from tests.providers.requests import settings
from tests.providers.services import ask, provider_at

REPLY = {
    "id": "c-1",
    "object": "chat.completion",
    "model": "m-1",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": f"call_{name}",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": f'{{"path": "{name}"}}'},
                    }
                    for name in ("a", "b")
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
}
OFF = {"openAiStreamingEnabled": False}


def endpoint(**fields: Any) -> Any:
    chosen = {"api_key": "k-123456", "api_model_id": "my gpt", **fields}
    found = create_provider(settings("openai", **chosen))
    assert isinstance(found, HttpProvider)
    return found._endpoint


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (
            {"openAiBaseUrl": "https://r.openai.azure.com"},
            "/openai/deployments/my%20gpt/chat/completions?api-version=2024-08-01-preview",
        ),
        (
            {"openAiBaseUrl": "https://r.openai.azure.com/openai", "azureApiVersion": "2025-01-01"},
            "/openai/deployments/my%20gpt/chat/completions?api-version=2025-01-01",
        ),
        (
            {"openAiBaseUrl": "https://r.openai.azure.com/openai/deployments/d"},
            "/openai/deployments/d/chat/completions?api-version=2024-08-01-preview",
        ),
        (
            {"openAiBaseUrl": "https://r.openai.azure.com/openai/v1"},
            "/openai/v1/chat/completions",
        ),
        (
            {"openAiBaseUrl": "https://r.services.ai.azure.com"},
            "/models/chat/completions?api-version=2024-05-01-preview",
        ),
        (
            {"openAiBaseUrl": "https://gateway.example", "openAiUseAzure": True, **OFF},
            "/openai/deployments/my%20gpt/chat/completions?api-version=2024-08-01-preview",
        ),
    ],
)
def test_azure_has_its_own_path_and_header(fields: dict[str, Any], path: str) -> None:
    found = endpoint(**fields)
    assert found.address.target == path
    assert found.headers["api-key"] == "k-123456"
    assert "authorization" not in found.headers


def test_elsewhere_nothing_is_azures() -> None:
    found = endpoint(openAiBaseUrl="https://notazure.com/v1", azureApiVersion="2025-01-01")
    assert found.address.target == "/v1/chat/completions"
    assert found.headers["authorization"] == "Bearer k-123456"


def test_azure_needs_an_address() -> None:
    with pytest.raises(ConfigError, match="Azure has no address") as raised:
        endpoint(openAiUseAzure=True)
    assert "openAiBaseUrl" in raised.value.hint


async def test_a_reply_that_comes_at_once_is_read_as_one_that_is_streamed() -> None:
    reply = answer("200 OK", json.dumps(REPLY).encode(), content_type="application/json")
    async with raw_server(reply) as server, provider_at(server.url, "openai", **OFF) as provider:
        found = await ask(provider)
    assert (found.text, found.stop_reason, found.model) == ("I look.", "tool_use", "m-1")
    assert [(call.id, call.input) for call in found.tool_uses] == [
        ("call_a", {"path": "a"}),
        ("call_b", {"path": "b"}),
    ]
    assert found.usage == Usage(input_tokens=12, output_tokens=7)
    sent = server.requests[0]
    assert b"accept: application/json" in sent
    assert b'"stream' not in sent


async def test_its_refusals_are_the_same() -> None:
    refusal = {"error": {"message": "slow down", "type": "rate_limit_error"}}
    busy = answer("429 Busy", json.dumps(refusal).encode(), content_type="application/json")
    events = answer("200 OK", b"data: {}\n\n", content_type="text/event-stream")
    async with (
        raw_server(busy, events) as server,
        provider_at(server.url, "openai", **OFF) as provider,
    ):
        with pytest.raises(RateLimited, match="slow down"):
            await ask(provider)
        with pytest.raises(ConfigError, match="not with JSON"):
            await ask(provider)


def test_a_whole_reply_may_arrive_in_pieces() -> None:
    parser = WholeParser()
    assert [event for piece in (b' {"a"', b": 1", b"}\n") for event in parser.feed(piece)] == []
    assert [*parser.finish()] == [WireEvent("", b'{"a": 1}')]
    assert [*parser.finish()] == []
