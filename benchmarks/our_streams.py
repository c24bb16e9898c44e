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


async def read_chunks(name: str, address: str) -> int:
    provider = create_provider(settings(name, address))
    request = ModelRequest(system_prompt="", messages=(Message.from_user("Go on."),))
    deltas = 0
    async with aclosing(provider), aclosing(provider.stream(request)) as chunks:
        async for chunk in chunks:
            deltas += type(chunk) is BlockDelta
    return deltas


async def read_events(name: str, address: str) -> int:
    deltas = 0
    async with aclosing(RooClient(settings(name, address))) as client:
        async with aclosing(Agent(client, ()).iter("Go on.")) as events:
            async for event in events:
                deltas += type(event) is TextDelta
    return deltas


if __name__ == "__main__":
    chosen = {"chunks": read_chunks, "events": read_events}[sys.argv.pop(1)]
    readers: dict[str, Read] = {name: partial(chosen, name) for name in _PROVIDERS}
    main(readers)
