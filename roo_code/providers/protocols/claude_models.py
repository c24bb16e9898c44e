"""What differs from one Claude to the next, told by the name, wherever it is served."""

from __future__ import annotations

import re
from typing import Any

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo

LEAST_THINKING = 1024
_DEFAULT_THINKING = 8192
_BUDGETS = {"minimal": 1024, "low": 4096, "medium": 8192, "high": 16384, "xhigh": 32768}
_THINKING_SUFFIX = ":thinking"
"""Roo's name for a model that is to think."""

_LONG_CONTEXT = re.compile(r"claude-(sonnet-4|opus-4-6)")
_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")

FINE_GRAINED = "fine-grained-tool-streaming-2025-05-14"
"""Input of tools is sent as it is written, not in one piece at its end."""
_INTERLEAVED = "interleaved-thinking-2025-05-14"
_LONG_CONTEXT_BETA = "context-1m-2025-08-07"
_LONG_OUTPUT = "output-128k-2025-02-19"


def plain_name(model: str) -> str:
    """The name as the service knows it."""
    return model.removesuffix(_THINKING_SUFFIX)


def betas(model: str, *, long_context: bool) -> list[str]:
    """What of the service must be asked for by name."""
    if "claude" not in model:
        return []
    if model.endswith(_THINKING_SUFFIX):
        return [_LONG_OUTPUT]
    found = [FINE_GRAINED]
    if (4, 0) <= _version(model) < (4, 6):  # later ones think between calls unasked
        found.append(_INTERLEAVED)
    if long_context and _LONG_CONTEXT.search(model):
        found.append(_LONG_CONTEXT_BETA)
    return found


def takes_temperature(model: str) -> bool:
    return _version(model) < (4, 7)


def thinking(settings: ProviderSettings, info: ModelInfo, max_tokens: int) -> dict[str, Any]:
    """The fields of a request that make the model think; none where it is not to."""
    effort, budget = settings.reasoning_effort, settings.max_thinking_tokens
    wanted = budget or _BUDGETS.get(effort or "") or (info.requires_reasoning and _DEFAULT_THINKING)
    if not wanted or effort in ("disable", "none") or info.supports_reasoning is False:
        return {}
    version = _version(info.id)
    if version >= (4, 7) or (version >= (4, 6) and not budget):
        return _adaptive(effort, shows_unasked=version < (4, 7))
    room = max_tokens * 4 // 5  # the rest is for the answer
    if room < LEAST_THINKING:
        return {}
    tokens = max(LEAST_THINKING, min(wanted, room))
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}}


def _adaptive(effort: str | None, *, shows_unasked: bool) -> dict[str, Any]:
    """The model decides when to think; later ones tell of it only when asked to."""
    config = {"type": "adaptive"}
    if not shows_unasked:
        config["display"] = "summarized"
    if effort is None:
        return {"thinking": config}
    levels = {"minimal": "low", **({"xhigh": "max"} if shows_unasked else {})}
    return {"thinking": config, "output_config": {"effort": levels.get(effort, effort)}}


def _version(model: str) -> tuple[int, int]:
    """Such as (4, 5); a name without one is of the newest, and what is no Claude of none."""
    if "claude" not in model:
        return (0, 0)
    found = _VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else (99, 0)
