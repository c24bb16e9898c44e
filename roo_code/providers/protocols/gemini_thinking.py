"""How much a Gemini model is told to think: by level since the third generation, else in tokens."""

from __future__ import annotations

import re
from typing import Any

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo

_GENERATION = re.compile(r"gemini-(\d+)")
_LEVELS = ("minimal", "low", "medium", "high")
_TOKENS = {"minimal": 1024, "low": 4096, "medium": 8192, "high": 16384, "xhigh": 32768}
_OFF = ("disable", "none")
_AS_MUCH_AS_IT_LIKES = -1


def generation_of(model: str) -> int | None:
    """None for a name without a number, such as `gemini-flash-latest`."""
    found = _GENERATION.search(model)
    return int(found[1]) if found else None


def thinking_config(settings: ProviderSettings, info: ModelInfo) -> dict[str, Any]:
    """Empty where nothing is asked for; the model then does as it likes."""
    tokens = settings.max_thinking_tokens
    effort = settings.reasoning_effort or (None if tokens else info.default_effort)
    if info.supports_reasoning is False or not (effort or tokens or info.requires_reasoning):
        return {}
    is_shown = effort not in _OFF
    if effort and _knows_levels(info):
        return {"thinkingLevel": _level(effort, info).upper(), "includeThoughts": is_shown}
    wanted = 0 if not is_shown else tokens or _TOKENS.get(effort or "", _AS_MUCH_AS_IT_LIKES)
    return {
        "thinkingBudget": _within_limits(wanted, settings, info),
        "includeThoughts": is_shown,
    }


def _knows_levels(info: ModelInfo) -> bool:
    by_name = (generation_of(info.id) or 0) >= 3
    return bool(info.reasoning_efforts) or (by_name and not info.reasoning_budget)


def _level(effort: str, info: ModelInfo) -> str:
    """The next level that the model has; none of them can be told not to think at all."""
    if effort in _OFF:
        effort = _LEVELS[0]
    known = [level for level in _LEVELS if level in info.reasoning_efforts] or _LEVELS
    above = [level for level in known if effort in _LEVELS[: _LEVELS.index(level) + 1]]
    return above[0] if above else known[-1]


def _within_limits(tokens: int, settings: ProviderSettings, info: ModelInfo) -> int:
    """What the model takes, with room left for the answer."""
    if tokens == _AS_MUCH_AS_IT_LIKES:
        return tokens
    is_pro = "pro" in info.id
    if tokens == 0:
        return 128 if is_pro else 0
    most = info.max_thinking_tokens or (32768 if is_pro else 24576)
    if settings.max_tokens is not None:
        most = min(most, settings.max_tokens * 4 // 5)
    return max(128 if is_pro else 1024, min(tokens, most))
