"""A reply is asked to be no longer than the window has room for."""

from __future__ import annotations

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.messages import Message, TextContent, Usage
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.testing import ScriptedProvider, scripted_client

INFO = ModelInfo(id="claude-sonnet-4-5", context_window=200_000, max_output_tokens=64_000)


@pytest.mark.parametrize(
    ("told", "limit"),
    [(0, 64_000), (100_000, 64_000), (150_000, 50_000), (198_000, 4_096), (900_000, 4_096)],
)
def test_the_limit_shrinks_with_the_room(told: int, limit: int) -> None:
    settings = ProviderSettings(api_provider="anthropic", api_model_id=INFO.id)
    request = ModelRequest(
        system_prompt="", messages=(Message.from_user("Go."),), input_tokens=told
    )
    assert AnthropicMessages(INFO.id).encode(request, settings, INFO)["max_tokens"] == limit
    small = settings.replace(max_tokens=2_000)
    assert AnthropicMessages(INFO.id).encode(request, small, INFO)["max_tokens"] == 2_000


async def test_the_client_tells_what_goes_in() -> None:
    provider = ScriptedProvider("Yes.")
    reply = Message(
        role="assistant",
        content=(TextContent(text="Read."),),
        usage=Usage(input_tokens=149_000, output_tokens=1_000),
    )
    history = [Message.from_user("Read all."), reply, Message.from_user("x" * 3_000)]
    await scripted_client(provider=provider).create_message("S", history).get_final_message()
    assert provider.requests[0].input_tokens == 151_000
