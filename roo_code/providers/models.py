"""What is known of a model, found by the name it goes by at its provider."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from roo_code.json_text import from_json
from roo_code.providers.base import ModelInfo

LOCAL = frozenset({"lmstudio", "ollama"})
"""Models that run at home cost nothing."""
_ROUTERS = frozenset({"litellm", "openrouter", "requesty", "roo", "unbound", "vercel-ai-gateway"})
"""These serve the models of others, whose makers stand before the slash."""
_SAME_MODELS = {"openai": "openai-native"}
_MAKERS = {
    "google": "gemini",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "openai": "openai-native",
    "x-ai": "xai",
    "z-ai": "zai",
}
_FOR_SHORT_NAMES = ("anthropic", "openai-native", "gemini", "deepseek", "mistral")
"""Whose models a router may name without their maker."""
_DATE = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2})(?=$|:)")
_REGION = re.compile(r"^(us|us-gov|eu|apac|jp|au|ca|sa|ug|global)\.")
"""Bedrock's names for a model in several regions."""
_FACTS = Path(__file__).with_name("model_facts.json")


def model_info(provider: str, model: str, address: str = "") -> ModelInfo:
    """The model's facts under the name asked for; only that name where nothing is known.

    What our table lacks may be in the list that the service at this address gave last.
    """
    for table in _tables(provider, model):
        for name in _names(model):
            if facts := table.get(name):
                return _info(model, facts)
    from roo_code.providers.model_cache import cached_model  # noqa: PLC0415 - few models need it

    if cached := cached_model(provider, model, address):
        return cached
    if provider in LOCAL:
        return ModelInfo(id=model, input_price=0, output_price=0)
    return ModelInfo(id=model)


def known_models(provider: str) -> list[ModelInfo]:
    """Those of our table."""
    facts = _facts().get(_SAME_MODELS.get(provider, provider), {})
    return [_info(model, of_model) for model, of_model in facts.items()]


def _tables(provider: str, model: str) -> Iterator[Mapping[str, Any]]:
    if provider not in _ROUTERS:
        yield _index(_SAME_MODELS.get(provider, provider))
    elif "/" in model:
        maker = model.partition("/")[0]
        yield _index(_MAKERS.get(maker, maker))
    else:
        yield from map(_index, _FOR_SHORT_NAMES)


def _names(model: str) -> Iterator[str]:
    last = _REGION.sub("", model.rpartition("/")[2])
    undated = _DATE.sub("", last)
    yield from (model, last, undated, last.replace(".", "-"), undated.replace(".", "-"))


@cache
def _index(table: str) -> Mapping[str, Any]:
    """A service's models by their names, whole, without date, and without what stands before."""
    facts = _facts().get(table, {})
    shortened = {
        short: of_model
        for model, of_model in facts.items()
        for short in (model.rpartition("/")[2], _DATE.sub("", model))
    }
    return shortened | facts


@cache
def _facts() -> dict[str, dict[str, dict[str, Any]]]:
    return from_json(_FACTS.read_bytes())


def _info(model: str, facts: Mapping[str, Any]) -> ModelInfo:
    return msgspec.convert({"id": model, **facts}, ModelInfo)
