"""A provider that says what the test told it to."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TypeAlias

from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.json_text import to_json
from roo_code.messages import (
    Message,
    ReasoningContent,
    TextContent,
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.retry import RetryPolicy
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)

Reply: TypeAlias = str | Sequence[ToolUseContent] | Message | Exception

DEFAULT_INFO = ModelInfo(
    id="scripted",
    context_window=200_000,
    max_output_tokens=8192,
    input_price=1,
    output_price=2,
)


class ScriptedProvider(BaseProvider):
    """Each reply answers one request: a text, calls to make, a whole message, or a failure."""

    def __init__(self, *replies: Reply, info: ModelInfo = DEFAULT_INFO) -> None:
        self._replies = list(replies)
        self._info = info
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        self.requests.append(request)
        if not self._replies:
            raise AssertionError(f"The script has no reply to request {len(self.requests)}.")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        for chunk in as_chunks(as_message(reply), self._info.id):
            yield chunk

    def model_info(self) -> ModelInfo:
        return self._info

    def count_tokens(self, text: str) -> int:
        """A quarter of the characters: scripts need no real tokens."""
        return -(-len(text) // 4)


class ScriptedClient(RooClient):
    """A client of a scripted provider, with what it was asked."""

    def __init__(self, provider: ScriptedProvider) -> None:
        self.requests = provider.requests
        super().__init__(
            ProviderSettings(api_provider="scripted", api_model_id=provider.model_info().id),
            provider=provider,
            retry=RetryPolicy(base=0, jitter=0),
        )


def scripted_client(*replies: Reply, provider: ScriptedProvider | None = None) -> ScriptedClient:
    """A client that gives these replies in order; a failure that may pass is retried at once."""
    return ScriptedClient(provider or ScriptedProvider(*replies))


def as_message(reply: str | Sequence[ToolUseContent] | Message) -> Message:
    if isinstance(reply, Message):
        return reply
    content = (TextContent(text=reply),) if isinstance(reply, str) else tuple(reply)
    return Message(role="assistant", content=content)


def as_chunks(message: Message, model: str) -> Iterator[StreamChunk]:
    """The message as a service would send it, a few characters at a time."""
    usage = message.usage or Usage(input_tokens=10, output_tokens=5)
    counts = usage.counts
    output = counts.pop("output_tokens", 0)
    yield MessageStart(counts, message.model or model)
    for index, block in enumerate(message.content):
        if isinstance(block, TextContent | ReasoningContent | ToolUseContent):
            yield from _block_chunks(index, block)
    stop_reason = message.stop_reason or ("tool_use" if message.tool_uses else "end_turn")
    yield MessageDelta(stop_reason, {"output_tokens": output}, usage.cost)
    yield MessageStop()


def _block_chunks(
    index: int, block: TextContent | ReasoningContent | ToolUseContent
) -> Iterator[StreamChunk]:
    if isinstance(block, ToolUseContent):
        yield BlockStart(index, block.replace(input={}))
        if block.input:
            yield BlockDelta(index, "json", to_json(block.input).decode())
    else:
        yield BlockStart(index, block.replace(text=""))
        kind = "text" if isinstance(block, TextContent) else "reasoning"
        for word in re.findall(r"\s*\S+\s*|\s+", block.text):
            yield BlockDelta(index, kind, word)
    yield BlockStop(index)
