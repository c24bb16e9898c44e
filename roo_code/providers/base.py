"""The seam between us and any model service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roo_code.messages import Message, Usage
from roo_code.stream import StreamChunk


@dataclass(frozen=True, kw_only=True)
class ToolDefinition:
    """A tool as the model is told of it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    system_prompt: str
    messages: Sequence[Message]
    tools: Sequence[ToolDefinition] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """Whose request it is (such as the task id), for traces and services that want to know."""


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What is known of a model. Prices are US dollars per million tokens; None is unknown."""

    id: str
    context_window: int | None = None
    max_output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    supports_images: bool = True
    supports_reasoning: bool | None = None
    """Whether it can be told how much to think; None is unknown."""
    supports_temperature: bool = True
    supports_tools: bool = True
    """False where calls must be asked for in the text of the prompt."""
    supports_prompt_cache: bool | None = None

    def cost(self, usage: Usage) -> float | None:
        """What a call cost: what the service says, else by the price list, else None."""
        if usage.cost is not None:
            return usage.cost
        if self.input_price is None or self.output_price is None:
            return None
        read = self.input_price if self.cache_read_price is None else self.cache_read_price
        write = self.input_price if self.cache_write_price is None else self.cache_write_price
        return (
            usage.input_tokens * self.input_price
            + usage.output_tokens * self.output_price
            + usage.cache_read_tokens * read
            + usage.cache_write_tokens * write
        ) / 1_000_000


class BaseProvider(ABC):
    @abstractmethod
    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        """Make one attempt at one request and yield the reply as it arrives.

        Raises:
            TransportError: The bytes did not come, or stopped coming.
            ProtocolError: What came is not this wire format.
            ProviderError: The service refused.
        """

    @abstractmethod
    def model_info(self) -> ModelInfo:
        """What is known of the model in use."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, counted here; what a service reports of a request is better."""
        from roo_code.providers.tokens import count  # noqa: PLC0415 - loads 40 ms of tables

        return count(text)

    async def aclose(self) -> None:  # noqa: B027 - many providers hold nothing
        """Let go of connections."""
