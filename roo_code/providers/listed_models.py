"""What services say of their models in the lists they give, in our words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

Json = Mapping[str, Any]
Facts = dict[str, Any]
"""What the service says, by the names of `ModelInfo`; nothing else."""

_CONTEXT = (
    "context_length", "context_window", "contextWindow", "max_context_length", "max_model_len",
    "max_input_tokens",
)  # fmt: skip
_OUTPUT = ("max_completion_tokens", "max_output_tokens", "max_output_length", "maxTokens")
_PRICES: Mapping[str, Sequence[str]] = {
    "input_price": ("prompt", "input", "input_price", "inputTokenPrice"),
    "output_price": ("completion", "output", "output_price", "outputTokenPrice"),
    "cache_read_price": (
        "input_cache_read", "cached_input", "cached_price", "cacheReadPrice", "cache_read",
    ),
    "cache_write_price": (
        "input_cache_write", "caching_price", "cacheWritePrice", "cache_creation", "cache_write",
    ),
}  # fmt: skip
_SWITCHES: Mapping[str, Sequence[str]] = {
    "supports_images": (
        "supports_images", "supportsImages", "supports_vision", "supports_image_input",
    ),
    "supports_prompt_cache": ("supports_caching", "supportsPromptCaching"),
    "supports_reasoning": ("supports_reasoning", "supports_thinking"),
    "supports_tools": ("supports_tools", "supports_tool_calling", "supports_function_calling"),
}  # fmt: skip
_TAGS = {
    "vision": "supports_images",
    "reasoning": "supports_reasoning",
    "reasoning-required": "requires_reasoning",
    "tool-use": "supports_tools",
    "tool_use": "supports_tools",
}
_NOT_FOR_CHAT = {
    "audio", "code", "embedding", "embeddings", "image", "moderation", "rerank", "transcribe",
    "video",
}  # fmt: skip
_LARGEST_TOKEN_PRICE = 0.001
"""Some tell prices of one token, some of a million; none has such a dear or such a cheap model."""


def read_plain(answer: Any) -> dict[str, Facts]:
    """A list of models, or an object of them by their ids, however they tell their facts."""
    return {id: _plain_facts(entry) for id, entry in _entries(answer) if not _is_left_out(entry)}


def _entries(answer: Any) -> Iterator[tuple[str, Json]]:
    within: Any = cast("Json", answer).get("data", answer) if isinstance(answer, dict) else answer
    if isinstance(within, dict):
        for id, entry in cast("dict[str, Any]", within).items():
            if isinstance(entry, dict):
                yield id, cast("Json", entry)
        return
    for entry in _objects(within):
        if isinstance(id := entry.get("id"), str) and id:
            yield id, entry


def _is_left_out(entry: Json) -> bool:
    kind = str(entry.get("type", ""))
    capabilities = _object(entry.get("capabilities"))
    return (
        kind in _NOT_FOR_CHAT
        or entry.get("active") is False
        or capabilities.get("completion_chat") is False
        or entry.get("supports_chat") is False
    )


def _plain_facts(entry: Json) -> Facts:
    # Poe keeps its limits in an object of its own, OpenRouter those of the best host.
    places = (entry, _object(entry.get("context_window")), _object(entry.get("top_provider")))
    facts: Facts = {
        "context_window": _first_count(places, _CONTEXT),
        # The name that means the limit of a request elsewhere is the last to be believed.
        "max_output_tokens": _first_count(reversed(places), _OUTPUT)
        or _first_count(places, ("max_tokens",)),
        "deprecated": True if entry.get("deprecation") else None,
    }
    for ours, theirs in _SWITCHES.items():
        facts[ours] = next((v for name in theirs if isinstance(v := entry.get(name), bool)), None)
    return _said({**facts, **_prices(entry), **_abilities(entry)})


def _prices(entry: Json) -> Facts:
    told = {**entry, **_object(entry.get("pricing"))}
    prices = {
        ours: next((p for name in theirs if (p := _price(told.get(name))) is not None), None)
        for ours, theirs in _PRICES.items()
    }
    if prices["input_price"]:  # a cache that is free where input is not is one there is not
        prices |= {name: prices[name] or None for name in ("cache_read_price", "cache_write_price")}
    return prices


def _abilities(entry: Json) -> Facts:
    """From tags, modalities, parameters and capabilities, of which each service has one."""
    facts: Facts = {}
    tags = [*_texts(entry.get("tags")), *_texts(entry.get("capabilities"))]
    if tags:
        facts["supports_images"] = "vision" in tags
        facts |= {ours: True for tag, ours in _TAGS.items() if tag in tags}
    if entry.get("type") == "vlm":  # LM Studio's word
        facts["supports_images"] = True
    if modalities := _texts(_object(entry.get("architecture")).get("input_modalities")):
        facts["supports_images"] = "image" in modalities
    if parameters := _texts(entry.get("supported_parameters")):
        facts["supports_tools"] = "tools" in parameters
        facts["supports_reasoning"] = "reasoning" in parameters
        facts["supports_temperature"] = "temperature" in parameters
    switches = _object(entry.get("capabilities"))
    for theirs, ours in (("vision", "supports_images"), ("function_calling", "supports_tools")):
        if isinstance(switches.get(theirs), bool):
            facts[ours] = switches[theirs]
    return facts


def read_litellm(answer: Any) -> dict[str, Facts]:
    models: dict[str, Facts] = {}
    for entry in _objects(_object(answer).get("data")):
        name, info = entry.get("model_name"), _object(entry.get("model_info"))
        if not isinstance(name, str) or info.get("mode") not in (None, "chat", "responses"):
            continue
        models[name] = _said(
            {
                "context_window": _count(info.get("max_input_tokens")),
                "max_output_tokens": _count(info.get("max_output_tokens"))
                or _count(info.get("max_tokens")),
                "input_price": _per_million(info.get("input_cost_per_token")),
                "output_price": _per_million(info.get("output_cost_per_token")),
                "cache_read_price": _per_million(info.get("cache_read_input_token_cost")),
                "cache_write_price": _per_million(info.get("cache_creation_input_token_cost")),
                "supports_images": _switch(info.get("supports_vision")),
                "supports_prompt_cache": _switch(info.get("supports_prompt_caching")),
                "supports_reasoning": _switch(info.get("supports_reasoning")),
                "supports_tools": _switch(info.get("supports_function_calling")),
            }
        )
    return models


def read_gemini(answer: Any) -> dict[str, Facts]:
    models: dict[str, Facts] = {}
    for entry in _objects(_object(answer).get("models")):
        name, methods = entry.get("name"), _texts(entry.get("supportedGenerationMethods"))
        if isinstance(name, str) and "generateContent" in methods:
            models[name.removeprefix("models/")] = _said(
                {
                    "context_window": _count(entry.get("inputTokenLimit")),
                    "max_output_tokens": _count(entry.get("outputTokenLimit")),
                    "supports_reasoning": _switch(entry.get("thinking")),
                }
            )
    return models


def read_ollama_names(answer: Any) -> list[str]:
    entries = _objects(_object(answer).get("models"))
    names = (entry.get("model") or entry.get("name") for entry in entries)
    return [name for name in names if isinstance(name, str) and name]


def read_ollama_model(answer: Any) -> Facts:
    """What `/api/show` tells of one model."""
    facts = _object(answer)
    lengths = (v for k, v in _object(facts.get("model_info")).items() if ".context_length" in k)
    abilities = _texts(facts.get("capabilities"))
    told = {
        "supports_images": "vision" in abilities,
        "supports_tools": "tools" in abilities,
        "supports_reasoning": "thinking" in abilities,
    }
    context = next(filter(None, map(_count, lengths)), None)
    return _said({"context_window": context, **(told if abilities else {})})


READERS: Mapping[Literal["plain", "gemini", "litellm"], Callable[[Any], dict[str, Facts]]] = {
    "plain": read_plain,
    "gemini": read_gemini,
    "litellm": read_litellm,
}


def _said(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if value is not None}


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Json]:
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", entry) for entry in entries if isinstance(entry, dict)]


def _texts(value: Any) -> list[str]:
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, str)]


def _switch(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number and not isinstance(value, bool) else None


def _first_count(places: Any, names: Sequence[str]) -> int | None:
    found = (_count(place.get(name)) for place in places for name in names)
    return next(filter(None, found), None)


def _price(value: Any) -> float | None:
    price = _number(value)
    return _per_million(price) if price and price < _LARGEST_TOKEN_PRICE else price


def _per_million(value: Any) -> float | None:
    price = _number(value)
    return None if price is None else round(price * 1_000_000, 9)
