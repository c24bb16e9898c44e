"""What is known of a model, found by the name it goes by at its provider."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from roo_code.providers.base import ModelInfo
from roo_code.providers.model_table import ROWS, Row

_LOCAL = {"lmstudio", "ollama"}
_ROUTERS = {"litellm", "openrouter", "requesty", "unbound", "vercel-ai-gateway"}
"""These serve the models of others, whose makers stand before the slash."""
_MAKERS = {
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "x-ai": "xai",
    "z-ai": "zai",
}
_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


def model_info(provider: str, model: str) -> ModelInfo:
    """The model's facts under the name asked for; only that name where nothing is known."""
    if provider in _LOCAL:
        return ModelInfo(id=model, input_price=0, output_price=0)
    for table in _tables(provider, model):
        for name in _names(model):
            if row := table.get(name):
                return _info(model, row)
    return ModelInfo(id=model)


def _tables(provider: str, model: str) -> Iterator[dict[str, Row]]:
    if provider not in _ROUTERS:
        yield _index(provider)
    elif "/" in model:
        maker = model.partition("/")[0]
        yield _index(_MAKERS.get(maker, maker))
    else:
        yield from (_index(maker) for maker in ("anthropic", "openai", "deepseek", "mistral"))


def _names(model: str) -> Iterator[str]:
    last = model.rpartition("/")[2]
    yield from (model, last, last.replace(".", "-"))
    yield _DATE.sub("", last)


@cache
def _index(provider: str) -> dict[str, Row]:
    """The provider's models by their names, with and without date."""
    rows = ROWS.get(provider, {})
    return {_DATE.sub("", name): row for name, row in rows.items()} | rows


def _info(model: str, row: Row) -> ModelInfo:
    context, output, input_price, output_price, cache_read, cache_write, letters = row
    return ModelInfo(
        id=model,
        context_window=context,
        max_output_tokens=output,
        input_price=input_price,
        output_price=output_price,
        cache_read_price=cache_read,
        cache_write_price=cache_write,
        supports_images="i" in letters,
        supports_reasoning="r" in letters,
        supports_temperature="c" not in letters,
    )
