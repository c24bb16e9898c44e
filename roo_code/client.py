"""Talk to a model through whichever provider the settings name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roo_code.config.schema import ProviderSettings
from roo_code.messages import Message, Usage
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest, ToolDefinition
from roo_code.providers.catalog import create_provider
from roo_code.providers.retry import RetryPolicy, with_retry
from roo_code.stream import ApiStream
from roo_code.tools import AnyTool


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
        raise NotImplementedError

    async def aclose(self) -> None:
        await self._provider.aclose()

    def _define(self, tool: AnyTool) -> ToolDefinition:
        """Each tool's schema is made once: the advertised list stays the same from turn to turn."""
        if tool.name not in self._definitions:
            self._definitions[tool.name] = ToolDefinition(
                name=tool.name, description=tool.description, input_schema=tool.input_schema()
            )
        return self._definitions[tool.name]
