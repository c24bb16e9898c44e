"""What differs from one Claude to the next."""

from typing import Any

import pytest

from roo_code.providers.base import ModelInfo
from roo_code.providers.models import model_info
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.claude_models import betas
from roo_code.testing.anthropic_checks import find_problem
from tests.providers.requests import request, settings

STREAMING = "fine-grained-tool-streaming-2025-05-14"
INTERLEAVED = "interleaved-thinking-2025-05-14"
LONG = "context-1m-2025-08-07"


def encode(model: str, **fields: Any) -> dict[str, Any]:
    info = model_info("anthropic", model)
    body = AnthropicMessages(model).encode(request(), settings(**fields), info)
    assert find_problem(body) is None
    return body


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("claude-sonnet-4-5", [STREAMING, INTERLEAVED, LONG]),
        ("claude-sonnet-4-20250514", [STREAMING, INTERLEAVED, LONG]),
        ("claude-sonnet-4-6", [STREAMING, LONG]),
        ("claude-opus-4-6", [STREAMING, LONG]),
        ("claude-opus-4-1-20250805", [STREAMING, INTERLEAVED]),
        ("claude-opus-5", [STREAMING]),
        ("claude-3-7-sonnet-20250219", [STREAMING]),
        ("claude-3-7-sonnet-20250219:thinking", ["output-128k-2025-02-19"]),
        ("MiniMax-M2.7", []),
    ],
)
def test_betas_by_model(model: str, wanted: list[str]) -> None:
    headers = AnthropicMessages(model).headers("k", settings(anthropicBeta1MContext=True))
    assert headers.get("anthropic-beta", "") == ",".join(wanted)
    assert LONG not in betas(model, long_context=False)


@pytest.mark.parametrize(
    ("model", "fields", "thinking", "effort"),
    [
        ("claude-sonnet-4-5", {"reasoning_effort": "low"}, "enabled", None),
        ("claude-opus-4-6", {"reasoning_effort": "minimal"}, "adaptive", "low"),
        ("claude-opus-4-6", {"reasoning_effort": "xhigh"}, "adaptive", "max"),
        ("claude-opus-4-6", {"max_thinking_tokens": 4000}, "enabled", None),
        ("claude-opus-4-7", {"reasoning_effort": "xhigh"}, "adaptive", "xhigh"),
        ("claude-opus-4-7", {"max_thinking_tokens": 4000}, "adaptive", None),
        ("claude-mythos-preview", {"reasoning_effort": "high"}, "adaptive", "high"),
        ("claude-opus-4-7", {"reasoning_effort": "disable"}, None, None),
    ],
)
def test_thinking_is_asked_for_as_the_model_can(
    model: str, fields: dict[str, Any], thinking: str | None, effort: str | None
) -> None:
    body = encode(model, temperature=0.5, **fields)
    assert body.get("thinking", {}).get("type") == thinking
    assert body.get("output_config", {}).get("effort") == effort
    assert "temperature" not in body


def test_later_models_tell_of_their_thinking_only_when_asked_to() -> None:
    assert encode("claude-opus-4-7", reasoning_effort="high")["thinking"]["display"] == "summarized"
    assert "display" not in encode("claude-opus-4-6", reasoning_effort="high")["thinking"]


def test_a_round_that_began_without_thinking_goes_on_with_it_where_the_model_decides() -> None:
    unsigned = request(tuple(m.replace(model="gpt-5") for m in request().messages))
    for model, thinks in (("claude-sonnet-4-5", False), ("claude-opus-4-6", True)):
        info = ModelInfo(id=model)
        body = AnthropicMessages().encode(unsigned, settings(reasoning_effort="high"), info)
        assert ("thinking" in body) is thinks


def test_a_model_named_for_its_thinking_always_thinks() -> None:
    body = encode("claude-3-7-sonnet-20250219:thinking")
    assert body["model"] == "claude-3-7-sonnet-20250219"
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 8192}
