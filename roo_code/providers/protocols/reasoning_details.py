"""OpenRouter's `reasoning_details`: put together as they arrive, sent back as they were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from roo_code.messages import Message, ReasoningContent
from roo_code.providers.protocols.fields import Fields

Json = dict[str, Any]
_GROWING = ("text", "summary", "data")
"""The fields that come in pieces."""
_TOLD = ("text", "summary")
_UNCHECKED = "skip_thought_signature_validator"
"""What Google takes in place of the signature of thoughts that are not its own."""


class ReasoningDetails:
    def __init__(self) -> None:
        self._kept: dict[tuple[Any, Any], Fields] = {}

    def add(self, pieces: Iterable[Fields]) -> None:
        for piece in pieces:
            # Without a number, a piece goes on with the last of its kind.
            key = (str(piece.get("type")), str(piece.get("index")))
            kept = self._kept.setdefault(key, {})
            for name, value in piece.items():
                if name in _GROWING and isinstance(value, str):
                    kept[name] = str(kept.get(name) or "") + value
                elif value is not None or name not in kept:
                    kept[name] = value

    def whole(self) -> tuple[Fields, ...]:
        return tuple(self._kept.values())


def told_in(pieces: Iterable[Fields]) -> str:
    """What of them is for people to read."""
    found = (piece.get(name) for piece in pieces for name in _TOLD)
    return "".join(text for text in found if isinstance(text, str))


def returned_details(message: Message, model: str, call_ids: Sequence[str]) -> list[Json]:
    """What goes back with a reply of the model's; `call_ids` are those of its calls."""
    blocks = [block for block in message.content if isinstance(block, ReasoningContent)]
    kept = [_as_accepted(detail) for block in blocks for detail in block.details]
    if kept or "gemini" not in model:
        return kept
    unsigned = {"type": "reasoning.encrypted", "data": _UNCHECKED, "format": "google-gemini-v1"}
    return [{**unsigned, "id": id, "index": 0} for id in call_ids]


def _as_accepted(detail: Json) -> Json:
    """OpenAI does not find again by its id what it was told not to store."""
    if detail.get("format") != "openai-responses-v1":
        return detail
    return {name: value for name, value in detail.items() if name != "id"}
