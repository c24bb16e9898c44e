"""How much a model is asked to think, and whose thoughts it takes for its own."""

from __future__ import annotations

import re

from roo_code.config.schema import ProviderSettings
from roo_code.messages import Message
from roo_code.providers.base import ModelInfo

_FAMILY = re.compile(
    r"claude|minimax|gpt|codex|^o\d|glm|kimi|deepseek|gemini|grok|mi[nsx]tral|magistral|qwen",
    re.IGNORECASE,
)


def chosen_effort(settings: ProviderSettings, info: ModelInfo) -> str | None:
    """The level that is asked for, else the model's own; None where it knows no such level."""
    effort = settings.reasoning_effort or info.default_effort
    if effort is None or info.supports_reasoning is False:
        return None
    known = not info.reasoning_efforts or effort in info.reasoning_efforts
    return effort if known or effort == "disable" else None


def is_believed(message: Message, info: ModelInfo) -> bool:
    """Whether its thinking was signed by the family of models that would read it."""
    return not message.model or family(message.model) == family(info.id)


def family(model: str) -> str:
    """Empty where the name tells nothing."""
    found = _FAMILY.search(model.rpartition("/")[2])
    name = found[0].lower() if found else ""
    return "gpt" if name == "codex" or re.fullmatch(r"o\d", name) else name
