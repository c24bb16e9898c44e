"""What is read out of the lists of models that services give, each in its own shape."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.providers.listed_models import read_litellm, read_ollama_model, read_plain
from roo_code.providers.live_models import fetch_models
from tests.providers.oracles.serving import json_reply, serving
from tests.providers.requests import settings

SHAPES: list[tuple[str, str, Any, dict[str, dict[str, Any]]]] = [
    (
        "anthropic",
        "/v1/models?limit=1000",
        {"data": [{"type": "model", "id": "claude-sonnet-4-5", "display_name": "Sonnet"}]},
        {"claude-sonnet-4-5": {"context_window": 200_000, "input_price": 3}},
    ),
    (
        "gemini",
        "/v1beta/models?pageSize=1000",
        {
            "models": [
                {
                    "name": "models/gemini-9",
                    "inputTokenLimit": 1_000,
                    "outputTokenLimit": 100,
                    "supportedGenerationMethods": ["generateContent"],
                    "thinking": True,
                },
                {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]},
            ]
        },
        {
            "gemini-9": {
                "context_window": 1_000,
                "max_output_tokens": 100,
                "supports_reasoning": True,
            }
        },
    ),
    (
        "lmstudio",
        "/api/v0/models",
        {
            "data": [
                {"id": "a", "type": "vlm", "max_context_length": 8_192},
                {
                    "id": "b",
                    "type": "llm",
                    "max_context_length": 4_096,
                    "capabilities": ["tool_use"],
                },
                {"id": "e", "type": "embeddings"},
            ]
        },
        {
            "a": {"context_window": 8_192, "supports_images": True, "input_price": 0},
            "b": {"context_window": 4_096, "supports_images": False, "supports_tools": True},
        },
    ),
    (
        "unbound",
        "/models",
        {
            "x/y": {
                "contextWindow": "1000",
                "maxTokens": "100",
                "inputTokenPrice": "3",
                "outputTokenPrice": "15",
                "supportsImages": False,
                "supportsPromptCaching": True,
            }
        },
        {
            "x/y": {
                "context_window": 1_000,
                "max_output_tokens": 100,
                "input_price": 3,
                "output_price": 15,
                "supports_images": False,
                "supports_prompt_cache": True,
            }
        },
    ),
    (
        "requesty",
        "/v1/models",
        {
            "data": [
                {
                    "id": "x/y",
                    "context_window": 1_000,
                    "max_output_tokens": 100,
                    "input_price": 0.000003,
                    "output_price": 0.000015,
                    "caching_price": 0.00000375,
                    "cached_price": 0.0000003,
                    "supports_caching": True,
                    "supports_vision": True,
                    "supports_reasoning": False,
                }
            ]
        },
        {
            "x/y": {
                "max_output_tokens": 100,
                "cache_write_price": 3.75,
                "cache_read_price": 0.3,
                "supports_reasoning": False,
            }
        },
    ),
    (
        "vercel-ai-gateway",
        "/v1/models",
        {
            "data": [
                {
                    "id": "x/y",
                    "type": "language",
                    "context_window": 1_000,
                    "max_tokens": 100,
                    "pricing": {"input": "0.000003", "output": "0.000015"},
                    "tags": ["reasoning", "tool-use"],
                },
                {"id": "x/pictures", "type": "image"},
            ]
        },
        {
            "x/y": {
                "max_output_tokens": 100,
                "output_price": 15,
                "supports_images": False,
                "supports_reasoning": True,
            }
        },
    ),
    (
        "roo",
        "/v1/models",
        {
            "data": [
                {
                    "id": "x/y",
                    "context_window": 1_000,
                    "max_tokens": 100,
                    "pricing": {"input": "0", "output": "0"},
                    "tags": ["vision", "reasoning-required"],
                }
            ]
        },
        {"x/y": {"input_price": 0, "supports_images": True, "requires_reasoning": True}},
    ),
    (
        "groq",
        "/v1/models",
        {
            "data": [
                {
                    "id": "x",
                    "active": True,
                    "context_window": 1_000,
                    "max_completion_tokens": 100,
                },
                {"id": "old", "active": False},
            ]
        },
        {"x": {"context_window": 1_000, "max_output_tokens": 100, "input_price": None}},
    ),
    (
        "mistral",
        "/v1/models",
        {
            "data": [
                {
                    "id": "x",
                    "max_context_length": 1_000,
                    "capabilities": {
                        "completion_chat": True,
                        "function_calling": False,
                        "vision": False,
                    },
                    "deprecation": "2026-01-01T00:00:00Z",
                },
                {"id": "embedder", "capabilities": {"completion_chat": False}},
            ]
        },
        {
            "x": {
                "context_window": 1_000,
                "supports_tools": False,
                "supports_images": False,
                "deprecated": True,
            }
        },
    ),
    (
        "together",
        "/v1/models",
        [{"id": "x/y", "type": "chat", "context_length": 1, "pricing": {"input": 2, "output": 2}}],
        {"x/y": {"context_window": 1, "input_price": 2, "output_price": 2}},
    ),
    (
        "deepseek",
        "/v1/models",
        {"object": "list", "data": [{"id": "deepseek-chat", "object": "model"}]},
        {"deepseek-chat": {"context_window": 128_000, "input_price": 0.28}},
    ),
]


@pytest.mark.parametrize(("provider", "path", "answer", "models"), SHAPES)
async def test_each_service_is_understood(
    provider: str,
    path: str,
    answer: Any,
    models: dict[str, dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path))
    with serving(json_reply(answer)) as server:
        base = server.url if provider == "gemini" else f"{server.url}/v1"
        found = await fetch_models(settings(provider, api_base_url=base, api_key="k-123456"))
    told = {model.id: {name: getattr(model, name) for name in models[model.id]} for model in found}
    assert told == models
    assert server.requests[0].path == path


@pytest.mark.parametrize(
    ("told", "price"),
    [("0.000003", 3), (0.000003, 3), ("3", 3), (3, 3), (0, 0), ("0", 0)],
)
def test_a_price_is_one_of_a_million_tokens_however_it_is_told(told: Any, price: float) -> None:
    found = read_plain([{"id": "m", "pricing": {"prompt": told}}])
    assert found == {"m": {"input_price": price}}


@pytest.mark.parametrize("odd", [None, 3, "x", [], {}, [3], {"data": None}, {"data": [{"id": 3}]}])
def test_what_is_no_list_holds_no_models(odd: Any) -> None:
    assert read_plain(odd) == {}
    assert read_litellm(odd) == {}
    assert read_ollama_model(odd) == {}


def test_what_is_no_fact_is_passed_over() -> None:
    odd = {"id": "m", "context_length": "many", "pricing": {"prompt": "-1", "completion": "NaN"}}
    assert read_plain([odd, {"id": ""}]) == {"m": {}}
    free_cache = {"id": "m", "input_price": 1, "cached_price": 0}
    assert read_plain([free_cache]) == {"m": {"input_price": 1}}
    assert read_ollama_model({"capabilities": ["completion", "vision", "thinking"]}) == {
        "supports_images": True,
        "supports_tools": False,
        "supports_reasoning": True,
    }
