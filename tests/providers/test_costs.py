"""What calls cost: worked by hand, and as a second price list has it."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from genai_prices import Usage as TheirUsage
from genai_prices import calc_price

from roo_code.messages import Usage
from roo_code.providers.base import ModelInfo, PriceTier
from roo_code.providers.catalog import CATALOG
from roo_code.providers.chosen_model import chosen_model
from roo_code.providers.framing import WireEvent
from roo_code.providers.models import known_models, model_info
from roo_code.providers.protocols.anthropic_events import AnthropicDecoder
from roo_code.providers.protocols.openai_chunks import ChatDecoder
from roo_code.stream import MessageDelta, MessageStart, StreamChunk
from tests.providers.requests import settings

Tokens = tuple[int, int, int, int]
"""New input, output, read from the cache, written to it."""

WORKED: list[tuple[str, str, Tokens, float]] = [
    # 12,000 * 3 + 800 * 15 = 36,000 + 12,000 = 48,000 millionths
    ("anthropic", "claude-sonnet-4-5", (12_000, 800, 0, 0), 0.048),
    # 500 * 3 + 1,200 * 15 + 40,000 * 0.3 + 2,000 * 3.75 = 1,500 + 18,000 + 12,000 + 7,500
    ("anthropic", "claude-sonnet-4-5", (500, 1_200, 40_000, 2_000), 0.039),
    # 200,000 of input are not above 200,000: 200,000 * 3 + 1,000 * 15
    ("anthropic", "claude-sonnet-4-5", (200_000, 1_000, 0, 0), 0.615),
    # What the cache gives counts for the length: 1 * 6 + 1,000 * 22.5 + 200,000 * 0.6
    ("anthropic", "claude-sonnet-4-5", (1, 1_000, 200_000, 0), 0.142506),
    # 1,000 * 1.25 + 3,000 * 10 + 9,000 * 0.125 = 1,250 + 30,000 + 1,125
    ("openai-native", "gpt-5.1", (1_000, 3_000, 9_000, 0), 0.032375),
    # Above 272,000: 100,000 * 5 + 2,000 * 22.5 + 200,000 * 0.5 = 500,000 + 45,000 + 100,000
    ("openai-native", "gpt-5.4", (100_000, 2_000, 200_000, 0), 0.645),
    # 10,000 * 2 + 1,000 * 12 + 5,000 * 0.2 = 20,000 + 12,000 + 1,000
    ("gemini", "gemini-3-pro-preview", (10_000, 1_000, 5_000, 0), 0.033),
    # Above 200,000: 250,000 * 4 + 1,000 * 18 + 10,000 * 0.4 = 1,000,000 + 18,000 + 4,000
    ("gemini", "gemini-3-pro-preview", (250_000, 1_000, 10_000, 0), 1.022),
    # 2,000 * 0.28 + 500 * 0.42 + 6,000 * 0.028 = 560 + 210 + 168
    ("deepseek", "deepseek-chat", (2_000, 500, 6_000, 0), 0.000938),
    # No price for its cache is known, so that it is read at the price of input:
    # 3,000 * 0.3 + 100 * 0.9 = 900 + 90
    ("mistral", "codestral-latest", (1_000, 100, 2_000, 0), 0.00099),
    # 1,000 * 0.8 + 100 * 3.2 + 4,000 * 0.2 + 500 * 0.8 = 800 + 320 + 800 + 400
    ("bedrock", "eu.amazon.nova-pro-v1:0", (1_000, 100, 4_000, 500), 0.00232),
    # Nothing, however much
    ("ollama", "devstral:24b", (100_000, 9_000, 0, 0), 0),
]


def usage(tokens: Tokens, **more: Any) -> Usage:
    new, output, read, written = tokens
    return Usage(
        input_tokens=new,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
        **more,
    )


@pytest.mark.requirement("providers:cost:per-request")
@pytest.mark.parametrize(("provider", "model", "tokens", "cost"), WORKED)
def test_the_cost_is_the_price_of_each_kind_of_token(
    provider: str, model: str, tokens: Tokens, cost: float
) -> None:
    info = model_info(provider, model)
    assert info.cost(usage(tokens)) == pytest.approx(cost, abs=1e-12)
    assert info.cost(usage(tokens, cost=0.01)) == 0.01  # the service knows best


def test_of_unknown_prices_nothing_is_claimed() -> None:
    some = usage((1, 1, 0, 0))
    assert ModelInfo(id="m").cost(some) is None
    assert ModelInfo(id="m", input_price=1).cost(some) is None
    assert ModelInfo(id="m").cost(usage((1, 1, 0, 0), cost=0.0)) == 0.0


@pytest.mark.parametrize(
    ("provider", "model", "option", "chosen", "cost"),
    [
        # 10,000 of input and 1,000 of output: 10,000 * 1.25 + 1,000 * 10 = 22,500 millionths
        ("openai-native", "gpt-5.1", "openAiNativeServiceTier", "default", 0.0225),
        # * 0.625 and * 5
        ("openai-native", "gpt-5.1", "openAiNativeServiceTier", "flex", 0.01125),
        # * 2.5 and * 20
        ("openai-native", "gpt-5.1", "openAiNativeServiceTier", "priority", 0.045),
        # It has no such tier, and costs what it does
        ("openai-native", "gpt-4o-mini", "openAiNativeServiceTier", "flex", 0.0021),
        # (10,000 * 0.8 + 1,000 * 3.2) * 0.5, and * 1.75
        ("bedrock", "amazon.nova-pro-v1:0", "awsBedrockServiceTier", "STANDARD", 0.0112),
        ("bedrock", "amazon.nova-pro-v1:0", "awsBedrockServiceTier", "FLEX", 0.0056),
        ("bedrock", "amazon.nova-pro-v1:0", "awsBedrockServiceTier", "PRIORITY", 0.0196),
    ],
)
def test_a_faster_or_slower_service_has_its_own_prices(
    provider: str, model: str, option: str, chosen: str, cost: float
) -> None:
    wanted = settings(provider, api_model_id=model, **{option: chosen})
    info = chosen_model(CATALOG[provider], wanted)
    assert info.cost(usage((10_000, 1_000, 0, 0))) == pytest.approx(cost, abs=1e-12)


def test_the_highest_tier_that_is_reached_counts() -> None:
    tiers = (PriceTier(3, 3, above=30), PriceTier(2, 2, above=20), PriceTier(9, 9, service="fast"))
    info = ModelInfo(id="m", input_price=1, output_price=1, tiers=tiers)
    costs = [info.cost(usage((tokens * 10, 0, 0, 0))) for tokens in (2, 3, 4)]
    assert costs == pytest.approx([20e-6, 60e-6, 120e-6])


def merged(chunks: list[StreamChunk]) -> Usage:
    counts: dict[str, int] = {}
    cost: float | None = None
    for chunk in chunks:
        if isinstance(chunk, MessageStart | MessageDelta):
            counts |= chunk.usage
        if isinstance(chunk, MessageDelta) and chunk.cost is not None:
            cost = chunk.cost
    return Usage(**counts, cost=cost)


def event(name: str, **fields: Any) -> WireEvent:
    return WireEvent(name, json.dumps({"type": name, **fields}).encode())


def test_input_that_was_cached_is_paid_once_whichever_way_it_is_told() -> None:
    """OpenAI's count of input has the cached tokens in it, Anthropic's has not."""
    told = {
        "prompt_tokens": 10_000,
        "completion_tokens": 3_000,
        "prompt_tokens_details": {"cached_tokens": 9_000},
    }
    chunk = WireEvent("", json.dumps({"choices": [], "usage": told}).encode())
    found = merged(ChatDecoder("x").feed(chunk))
    assert model_info("openai", "gpt-5.1").cost(found) == pytest.approx(0.032375)

    decoder = AnthropicDecoder("x")
    counts = {
        "input_tokens": 500,
        "output_tokens": 1,
        "cache_read_input_tokens": 40_000,
        "cache_creation_input_tokens": 2_000,
    }
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "usage": counts,
    }
    chunks = decoder.feed(event("message_start", message=message))
    delta = {"stop_reason": "end_turn"}
    chunks += decoder.feed(event("message_delta", delta=delta, usage={"output_tokens": 1_200}))
    assert model_info("anthropic", "claude-sonnet-4-5").cost(merged(chunks)) == pytest.approx(0.039)


def test_what_a_router_charges_is_what_it_and_the_service_behind_it_say() -> None:
    told = {
        "prompt_tokens": 10_000,
        "completion_tokens": 3_000,
        "cost": 0.0125,
        "cost_details": {"upstream_inference_cost": 0.02},
    }
    chunk = WireEvent("", json.dumps({"choices": [], "usage": told}).encode())
    found = merged(ChatDecoder("x").feed(chunk))
    assert model_info("openrouter", "openai/gpt-5.1").cost(found) == pytest.approx(0.0325)


THEIR_NAMES = {
    "anthropic": "anthropic",
    "baseten": "baseten",
    "bedrock": "aws",
    "deepseek": "deepseek",
    "fireworks": "fireworks",
    "gemini": "google",
    "groq": "groq",
    "minimax": "minimax",
    "mistral": "mistral",
    "moonshot": "moonshotai",
    "openai-native": "openai",
    "vertex": "google",
    "xai": "x-ai",
    "zai": "zai",
    "zai-cn": "zhipuai",
}
WHEN = datetime(2026, 2, 1, 12, tzinfo=UTC)
_LONG = "theirs has no higher price for long inputs"
_REGIONAL = "theirs is the price of an endpoint in one region, a tenth higher than that of all"
_EXPERIMENT = "theirs has no names for experiments and thinking variants, and takes the plain model"
_FAST = "theirs does not tell the faster kind from the usual one"
_MOVED = "the name stands for whatever is newest, and did for an older model when Roo wrote it down"
_ROO = "the service has changed its price; ours is Roo's, and nothing newer is sure"
_CUT = "theirs has the prices of before those that came with V3.2"
_YUAN = "converted from yuan, at another rate"
_OLD = "a model that is switched off, of whose prices Roo has one where there were two"
EXPLAINED = {
    ("anthropic", "claude-sonnet-4-20250514"): _LONG,
    ("bedrock", "amazon.nova-pro-latency-optimized-v1:0"): _FAST,
    ("bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0"): _REGIONAL,
    ("bedrock", "anthropic.claude-opus-4-5-20251101-v1:0"): _REGIONAL,
    ("bedrock", "anthropic.claude-opus-4-6-v1"): _REGIONAL,
    ("bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"): _REGIONAL,
    ("bedrock", "anthropic.claude-sonnet-4-6"): _REGIONAL,
    ("bedrock", "meta.llama3-1-70b-instruct-latency-optimized-v1:0"): _FAST,
    ("deepseek", "deepseek-chat"): _CUT,
    ("deepseek", "deepseek-reasoner"): _CUT,
    ("fireworks", "accounts/fireworks/models/glm-4p7"): _ROO,
    ("gemini", "gemini-flash-latest"): _MOVED,
    ("gemini", "gemini-flash-lite-latest"): _MOVED,
    ("mistral", "ministral-8b-latest"): _MOVED,
    ("mistral", "mistral-small-latest"): _MOVED,
    ("vertex", "claude-sonnet-4-6"): _LONG,
    ("vertex", "claude-sonnet-4@20250514"): _LONG,
    ("vertex", "gemini-1.5-flash-002"): _OLD,
    ("vertex", "gemini-1.5-pro-002"): _OLD,
    ("vertex", "gemini-2.0-flash-001"): "Vertex asks more for it than the Gemini API",
    ("vertex", "gemini-2.0-flash-thinking-exp-01-21"): _EXPERIMENT,
    ("vertex", "gemini-2.5-flash-preview-04-17:thinking"): _EXPERIMENT,
    ("vertex", "gemini-2.5-flash-preview-05-20:thinking"): _EXPERIMENT,
    ("vertex", "gemini-2.5-pro-exp-03-25"): _EXPERIMENT,
    ("xai", "grok-4.20"): _ROO,
    ("zai", "glm-5"): _ROO,
    ("zai-cn", "glm-4.5-air"): _YUAN,
    ("zai-cn", "glm-4.7"): _YUAN,
    ("zai-cn", "glm-4.7-flashx"): _YUAN,
    ("zai-cn", "glm-5"): _YUAN,
}


def test_a_second_price_list_says_the_same_but_for_what_is_explained() -> None:
    compared, differing = 0, set[tuple[str, str]]()
    for provider, theirs in THEIR_NAMES.items():
        for info in known_models(provider):
            for tokens in ((10_000, 1_000, 5_000, 2_000), (280_000, 1_000, 20_000, 0)):
                pair = both_costs(provider, theirs, info, tokens)
                compared += pair is not None
                if pair is not None and pair[0] != pytest.approx(pair[1], rel=0.005):
                    differing.add((provider, info.id))
    assert differing == set(EXPLAINED)
    assert compared > 200


def both_costs(
    provider: str, their_name: str, info: ModelInfo, tokens: Tokens
) -> tuple[float, float] | None:
    """None where the list does not know the model, or the input is too long for it."""
    new, output, read, written = tokens
    if new + read + written > (info.extended_context_window or info.context_window or 0):
        return None
    read = read if info.supports_prompt_cache else 0
    is_told_of_writes = provider in ("anthropic", "bedrock", "vertex") and info.cache_write_price
    written = written if is_told_of_writes else 0
    counted = TheirUsage(
        input_tokens=new + read + written,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
    try:
        found = calc_price(counted, info.id, provider_id=their_name, genai_request_timestamp=WHEN)
    except LookupError:
        return None
    ours = info.cost(usage((new, output, read, written)))
    assert ours is not None
    return ours, float(found.total_price)
