"""Whom servers may ask: a front end attaches itself here, and without one nobody is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple

from msgspec import Struct


class Question(Struct, frozen=True):
    """Something a server wants to know from the user (elicitation)."""

    server: str
    message: str
    schema: Mapping[str, Any]
    """Of the form to be filled in; empty where there is only an address to be opened."""
    url: str = ""


class Reply(Struct, frozen=True):
    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] = {}


class SampleRequest(Struct, frozen=True):
    """Something a server wants a model to write."""

    server: str
    messages: tuple[tuple[Literal["user", "assistant"], str], ...]
    max_tokens: int
    system_prompt: str = ""
    temperature: float | None = None


class Sample(NamedTuple):
    text: str
    model: str


class McpUser(NamedTuple):
    """What is None is not offered to servers at all."""

    answer: Callable[[Question], Awaitable[Reply]] | None = None
    sample: Callable[[SampleRequest], Awaitable[Sample]] | None = None


def with_defaults(reply: Reply, question: Question) -> dict[str, Any]:
    """What was filled in, and the form's own values where nothing was."""
    properties: Mapping[str, Any] = question.schema.get("properties", {})
    preset = {name: field["default"] for name, field in properties.items() if "default" in field}
    return {**preset, **reply.content}
