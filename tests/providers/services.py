"""Providers pointed at a server of ours."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from roo_code.messages import Message
from roo_code.providers.base import BaseProvider, ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.stream import ApiStream, StreamChunk
from tests.providers.requests import settings

KEY = "sk-test-0123456789"
_SCRIPTED = {"api_model_id": "scripted", "api_key": KEY}
HELLO = ModelRequest(system_prompt="Be brief.", messages=(Message.from_user("Hello"),))


@asynccontextmanager
async def provider_at(
    url: str, provider: str = "anthropic", **fields: Any
) -> AsyncGenerator[BaseProvider]:
    base = f"{url}/v1" if provider == "openai" else url
    found = create_provider(settings(provider, **{**_SCRIPTED, "api_base_url": base, **fields}))
    try:
        yield found
    finally:
        await found.aclose()


async def ask(provider: BaseProvider, request: ModelRequest = HELLO) -> Message:
    """One attempt."""
    stream = ApiStream(provider.stream(request))
    try:
        return await stream.get_final_message()
    finally:
        await stream.aclose()


async def chunks(provider: BaseProvider, request: ModelRequest = HELLO) -> list[StreamChunk]:
    return [chunk async for chunk in provider.stream(request)]
