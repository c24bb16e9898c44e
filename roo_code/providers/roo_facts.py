"""A model's facts by the names Roo has for them: what users write, and what lists print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from roo_code.providers.base import ModelInfo, PriceTier

_NUMBERS = {
    "contextWindow": "context_window",
    "maxTokens": "max_output_tokens",
    "maxThinkingTokens": "max_thinking_tokens",
    "inputPrice": "input_price",
    "outputPrice": "output_price",
    "cacheReadsPrice": "cache_read_price",
    "cacheWritesPrice": "cache_write_price",
}
_SWITCHES = {
    "supportsImages": "supports_images",
    "supportsPromptCache": "supports_prompt_cache",
    "supportsReasoningBudget": "reasoning_budget",
    "requiredReasoningBudget": "requires_reasoning",
    "supportsNativeTools": "supports_tools",
    "supportsTemperature": "supports_temperature",
    "supportsVerbosity": "supports_verbosity",
    "preserveReasoning": "keeps_reasoning",
    "deprecated": "deprecated",
}
_USUAL = ModelInfo(id="")


def read_facts(custom: Mapping[str, Any]) -> dict[str, Any]:
    """What the user says of a model; what is no fact is passed over, as -1 for no limit is."""
    numbers = {
        ours: custom[theirs]
        for theirs, ours in _NUMBERS.items()
        if isinstance(custom.get(theirs), int | float) and custom[theirs] >= 0
    }
    switches = {
        ours: custom[theirs]
        for theirs, ours in _SWITCHES.items()
        if isinstance(custom.get(theirs), bool)
    }
    return {**numbers, **switches, **_efforts(custom)}


def _efforts(custom: Mapping[str, Any]) -> dict[str, Any]:
    """A list of levels, or whether there are any."""
    efforts, budget = custom.get("supportsReasoningEffort"), custom.get("supportsReasoningBudget")
    if isinstance(efforts, list):
        return {
            "supports_reasoning": True,
            "reasoning_efforts": tuple(map(str, cast("list[Any]", efforts))),
        }
    if isinstance(efforts, bool) or isinstance(budget, bool):
        return {"supports_reasoning": efforts is True or budget is True}
    return {}


def as_roo(info: ModelInfo) -> dict[str, Any]:
    """What is known of the model, and nothing that is not."""
    facts: dict[str, Any] = {
        "id": info.id,
        **{theirs: _plain(getattr(info, ours)) for theirs, ours in _NUMBERS.items()},
        **{
            theirs: getattr(info, ours)
            for theirs, ours in _SWITCHES.items()
            if getattr(info, ours) != getattr(_USUAL, ours)
        },
        "supportsReasoningEffort": list(info.reasoning_efforts) or None,
        "reasoningEffort": info.default_effort,
        "supportsToolCalling": None if info.supports_tools else False,
        "tiers": [_tier(tier) for tier in info.tiers] or None,
    }
    if info.context_window:  # then somebody told more than a name
        facts["supportsImages"] = info.supports_images
    return {name: fact for name, fact in facts.items() if fact is not None}


def _tier(tier: PriceTier) -> dict[str, Any]:
    facts = {
        "name": tier.service or None,
        "above": tier.above or None,
        "inputPrice": _plain(tier.input_price),
        "outputPrice": _plain(tier.output_price),
        "cacheReadsPrice": _plain(tier.cache_read_price),
        "cacheWritesPrice": _plain(tier.cache_write_price),
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _plain(number: float | None) -> float | None:
    """3 and not 3.0."""
    return int(number) if number is not None and number == int(number) else number
