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
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest, ToolDefinition
from roo_code.providers.catalog import create_provider
from roo_code.providers.retry import RetryPolicy, with_retry
from roo_code.stream import ApiStream
from roo_code.tools import AnyTool

DEFAULT_MAX_OUTPUT = 8192
_CHARACTERS_PER_TOKEN = 3
"""Fewer than in prose: code and other scripts take more tokens."""
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
        tools: Sequence[AnyTool] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> ApiStream:
        """Ask the model; nothing is sent before the stream is read."""
        request = ModelRequest(
            system_prompt=system_prompt,
            messages=tuple(messages),
            tools=tuple(self._define(tool) for tool in tools),
            metadata=metadata or {},
        )
        return ApiStream(with_retry(self._provider, request, self._retry))

    def estimate(self, system_prompt: str, messages: Sequence[Message]) -> Usage:
        """An upper guess of a call's usage and cost, from the last reply and what came since."""
        known, fresh = _since_last_reply(messages)
        characters = sum(map(_size, fresh))
        if not known:
            characters += len(system_prompt) + sum(
                map(_definition_size, self._definitions.values())
            )
        info = self.model_info
        usage = Usage(
            input_tokens=known + -(-characters // _CHARACTERS_PER_TOKEN),
            output_tokens=(
                self.settings.max_tokens or info.max_output_tokens or DEFAULT_MAX_OUTPUT
            ),
        )
        return usage.model_copy(update={"cost": info.cost(usage)})

    def priced(self, message: Message) -> Message:
        """The reply with its cost: as the service told it, else by the model's prices."""
        if message.usage is None or message.usage.cost is not None:
            return message
        usage = message.usage.model_copy(update={"cost": self.model_info.cost(message.usage)})
        return message.model_copy(update={"usage": usage})

    async def aclose(self) -> None:
        await self._provider.aclose()

    def _define(self, tool: AnyTool) -> ToolDefinition:
        """Each tool's schema is made once: the advertised list stays the same from turn to turn."""
        if tool.name not in self._definitions:
            self._definitions[tool.name] = ToolDefinition(
                name=tool.name, description=tool.description, input_schema=tool.input_schema()
            )
        return self._definitions[tool.name]


def _since_last_reply(messages: Sequence[Message]) -> tuple[int, Sequence[Message]]:
    """The tokens of the history up to the last reply that told them, and what came after it."""
    for number in range(len(messages) - 1, -1, -1):
        usage = messages[number].usage
        if usage is not None and usage.input_tokens + usage.cache_read_tokens:
            return usage.total_tokens, messages[number + 1 :]
    return 0, messages


def _size(message: Message) -> int:
    return sum(map(_block_size, message.content))


def _block_size(block: ContentBlock) -> int:
    if isinstance(block, TextContent | ReasoningContent):
        return len(block.text)
    if isinstance(block, ImageContent):
        return _IMAGE_TOKENS * _CHARACTERS_PER_TOKEN
    if isinstance(block, ToolUseContent):
        return len(block.name) + len(str(block.input)) + len(block.invalid_input or "")
    return len(block.content) + sum(map(_block_size, block.images))


def _definition_size(definition: ToolDefinition) -> int:
    return len(definition.description) + len(str(definition.input_schema))
