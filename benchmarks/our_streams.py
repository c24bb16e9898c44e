"""Streams read by our providers, to their chunks, and by an agent, to its events."""

from __future__ import annotations

import sys
from contextlib import aclosing
from functools import partial

from benchmarks.stream_timing import Read, main
from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.events import TextDelta
from roo_code.messages import Message
from roo_code.providers.base import ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.stream import BlockDelta

_PROVIDERS = {
    "anthropic": ("anthropic", ""),
    "openai": ("openai", "/v1"),
    "responses": ("openai-native", "/v1"),
    "gemini": ("gemini", ""),
    "bedrock": ("bedrock", ""),
    "ollama": ("ollama", ""),
}
"""Each with what belongs to the address of the service."""


def settings(name: str, address: str) -> ProviderSettings:
    provider, path = _PROVIDERS[name]
    return ProviderSettings.read(
        {
            "api_provider": provider,
            "api_model_id": "bench",
            "api_base_url": address + path,
            "api_key": "bench",
        }
    )


def chunks(name: str, address: str) -> Read:
    provider = create_provider(settings(name, address))
    request = ModelRequest(system_prompt="", messages=(Message.from_user("Go on."),))

    async def read() -> int:
        deltas = 0
        async with aclosing(provider.stream(request)) as stream:
            async for chunk in stream:
                deltas += type(chunk) is BlockDelta
        return deltas

    return read


def events(name: str, address: str) -> Read:
    client = RooClient(settings(name, address))

    async def read() -> int:
        deltas = 0
        async with aclosing(Agent(client).iter("Go on.")) as happenings:
            async for event in happenings:
                deltas += type(event) is TextDelta
        return deltas

    return read


if __name__ == "__main__":
    chosen = {"chunks": chunks, "events": events}[sys.argv.pop(1)]
    main({name: partial(chosen, name) for name in _PROVIDERS})
