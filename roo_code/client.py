"""Talk to a model through whichever provider the settings name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roo_code.config.schema import ProviderSettings
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.providers.retry import RetryPolicy, with_retry
from roo_code.stream import ApiStream
from roo_code.tools import AnyTool, define

DEFAULT_MAX_OUTPUT = 8192
_BYTES_PER_TOKEN = 3
"""Fewer than in prose: code takes more tokens, and other scripts have more bytes."""
_IMAGE_TOKENS = 1600


class RooClient:
    def __init__(
        self,
        provider_settings: ProviderSettings,
        *,
        provider: BaseProvider | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.settings = provider_settings
        self._provider = provider or self._build_provider()
        self._retry = retry or RetryPolicy(max_attempts=provider_settings.max_attempts)
        self._definitions: dict[str, ToolDefinition] = {}

    def _build_provider(self) -> BaseProvider:
        return create_provider(self.settings)

    @property
    def provider(self) -> BaseProvider:
        return self._provider

    @property
    def model_info(self) -> ModelInfo:
        return self._provider.model_info()

    def create_message(
        self,
        system_prompt: str,
        messages: Sequence[Message],
        tools: Sequence[AnyTool | ToolDefinition] = (),
        metadata: Mapping[str, str] | None = None,
        *,
        max_tokens: int | None = None,
    ) -> ApiStream:
        """Ask the model; nothing is sent before the stream is read."""
        request = ModelRequest(
            system_prompt=system_prompt,
            messages=tuple(messages),
            tools=tuple(self._define(tool) for tool in tools),
            metadata=metadata or {},
            input_tokens=self._count_at_most(system_prompt, messages),
            max_tokens=max_tokens,
        )
        if self._provider.retries:
            return ApiStream(self._provider.stream(request))
        return ApiStream(with_retry(self._provider, request, self._retry))

    def estimate(
        self, system_prompt: str, messages: Sequence[Message], max_tokens: int | None = None
    ) -> Usage:
        """An upper guess of a call's usage and cost, from the last reply and what came since."""
        info = self.model_info
        tokens = self._count_at_most(system_prompt, messages)
        output = self.settings.max_tokens or info.max_output_tokens or DEFAULT_MAX_OUTPUT
        output = min(output, max_tokens or output)
        # Nobody knows how much is still in the service's cache, so the dearer case counts.
        costs = (
            info.cost(Usage(input_tokens=tokens, output_tokens=output)),
            info.cost(Usage(cache_write_tokens=tokens, output_tokens=output)),
        )
        cost = max((cost for cost in costs if cost is not None), default=None)
        return Usage(input_tokens=tokens, output_tokens=output, cost=cost)

    def _count_at_most(self, system_prompt: str, messages: Sequence[Message]) -> int:
        known, fresh = _since_last_reply(messages)
        size = sum(map(_size, fresh))
        if not known:
            size += _length(system_prompt) + sum(map(_definition_size, self._definitions.values()))
        return known + -(-size // _BYTES_PER_TOKEN)

    def count_context(self, system_prompt: str, messages: Sequence[Message]) -> int:
        """Tokens of the next request: as the service last told, and counted what came since."""
        from roo_code.providers.tokens import count_request  # noqa: PLC0415 - loads 40 ms of tables

        known, fresh = _since_last_reply(messages)
        if known:
            return known + count_request("", fresh)
        return count_request(system_prompt, fresh, self._definitions.values())

    def priced(self, message: Message) -> Message:
        """The reply with its cost: as the service told it, else by the model's prices."""
        if message.usage is None or message.usage.cost is not None:
            return message
        usage = message.usage.replace(cost=self.model_info.cost(message.usage))
        return message.replace(usage=usage)

    async def aclose(self) -> None:
        await self._provider.aclose()

    def _define(self, tool: AnyTool | ToolDefinition) -> ToolDefinition:
        """Each tool's schema is made once: the advertised list stays the same from turn to turn."""
        if tool.name not in self._definitions:
            known = tool if isinstance(tool, ToolDefinition) else define(tool)
            self._definitions[tool.name] = known
        return self._definitions[tool.name]


def _since_last_reply(messages: Sequence[Message]) -> tuple[int, Sequence[Message]]:
    """The tokens of the history up to the last reply that told them, and what came after it."""
    for number in range(len(messages) - 1, -1, -1):
        usage = messages[number].usage
        if usage is not None and usage.total_tokens > usage.output_tokens:
            return usage.total_tokens, messages[number + 1 :]
    return 0, messages


def _size(message: Message) -> int:
    return sum(map(_block_size, message.content))


def _block_size(block: ContentBlock) -> int:
    if isinstance(block, TextContent | ReasoningContent):
        return _length(block.text)
    if isinstance(block, ImageContent):
        return _IMAGE_TOKENS * _BYTES_PER_TOKEN
    if isinstance(block, ToolUseContent):
        return _length(f"{block.name}{block.input}{block.invalid_input or ''}")
    return _length(block.content) + sum(map(_block_size, block.images))


def _definition_size(definition: ToolDefinition) -> int:
    return _length(f"{definition.name}{definition.description}{definition.input_schema}")


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
