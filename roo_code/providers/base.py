"""The seam between us and any model service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from msgspec import Struct, field

from roo_code.messages import Message, ToolDefinition, Usage
from roo_code.stream import StreamChunk

RELAYED = "relayed_reply"
"""In a request's metadata: what a model elsewhere replied to the prompt, if it was asked there."""

PLACE = "place"
"""In a request's metadata: how many replies its task had before, where the messages do not tell;
negative where it is none of the task's own calls."""


class ReplyDeferred(Exception):
    """Raise in a provider whose reply a person brings later; the run parks until then."""

    def __init__(self, prompt: str) -> None:
        super().__init__("the reply comes later")
        self.prompt = prompt


class ModelRequest(Struct, frozen=True, kw_only=True):
    system_prompt: str
    messages: Sequence[Message]
    tools: Sequence[ToolDefinition] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """Whose request it is (such as the task id), for traces and services that want to know."""
    input_tokens: int = 0
    """An upper guess of what goes in, for services that refuse what may not fit with the reply."""
    max_tokens: int | None = None
    """The longest reply wanted, where that is less than the settings allow."""


class PriceTier(NamedTuple):
    """Other prices: of requests with a longer input, or of a faster or slower service."""

    input_price: float
    output_price: float
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    above: int = 0
    """Tokens of input; with more than these, all of the request costs this."""
    service: str = ""
    """The `service_tier` it is for; empty is the usual one."""


class CachePoints(NamedTuple):
    """Where marks for the prompt cache may stand (Bedrock)."""

    least_tokens: int
    most: int
    fields: tuple[str, ...]
    """Of `system`, `messages` and `tools`."""


class ModelInfo(Struct, frozen=True, kw_only=True):
    """What is known of a model. Prices are US dollars per million tokens; None is unknown."""

    id: str
    context_window: int | None = None
    extended_context_window: int | None = None
    """What there is for who asks for it (Claude's million); `tiers` says what that costs."""
    max_output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    tiers: tuple[PriceTier, ...] = ()
    service_tier: str = ""
    """Which of the `tiers` the settings ask for, such as `flex`."""
    supports_images: bool = True
    supports_reasoning: bool | None = None
    """Whether it can be told how much to think; None is unknown."""
    reasoning_efforts: tuple[str, ...] = ()
    """The levels it can be told, where it knows levels."""
    default_effort: str | None = None
    reasoning_budget: bool = False
    """Whether it can be told how many tokens to think."""
    requires_reasoning: bool = False
    max_thinking_tokens: int | None = None
    keeps_reasoning: bool = False
    """It wants its thinking back with the calls that came of it."""
    supports_temperature: bool = True
    default_temperature: float | None = None
    supports_verbosity: bool = False
    supports_tools: bool = True
    """False where calls must be asked for in the text of the prompt."""
    supports_prompt_cache: bool | None = None
    cache_points: CachePoints | None = None
    cache_retention: str | None = None
    """How long OpenAI is asked to keep the cache, such as `24h`."""
    preferred_tools: tuple[str, ...] = ()
    """Tools it was trained with, to be offered instead of `avoided_tools`."""
    avoided_tools: tuple[str, ...] = ()
    deprecated: bool = False

    def cost(self, usage: Usage) -> float | None:
        """What a call cost: what the service says, else by the price list, else None."""
        if usage.cost is not None:
            return usage.cost
        prices = self._prices(
            usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        )
        if prices is None:
            return None
        input, output, read, write, *_ = prices
        return (
            usage.input_tokens * input
            + usage.output_tokens * output
            + usage.cache_read_tokens * (input if read is None else read)
            + usage.cache_write_tokens * (input if write is None else write)
        ) / 1_000_000

    def _prices(self, prompt_tokens: int) -> PriceTier | None:
        """Of an input of that length, cached or not."""
        applying = [
            tier
            for tier in self.tiers
            if tier.service == self.service_tier and (not tier.above or prompt_tokens > tier.above)
        ]
        if applying:
            return max(applying, key=lambda tier: tier.above)
        if self.input_price is None or self.output_price is None:
            return None
        return PriceTier(
            self.input_price, self.output_price, self.cache_read_price, self.cache_write_price
        )


class BaseProvider(ABC):
    retries: ClassVar[bool] = False
    """True where it asks again by itself what failed in passing."""

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
