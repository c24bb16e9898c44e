"""What is condensed, and how much of the model's window it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.context.window import Request, Room, TokenMeter
from roo_code.history import History
from roo_code.messages import ToolDefinition
from roo_code.tools import ToolContext

ClientOrNone: TypeAlias = RooClient | None
ClientFor: TypeAlias = Callable[[ProviderSettings], RooClient]


class Conversing(Protocol):
    """What is condensed: an agent."""

    client: RooClient
    history: History
    context: ToolContext
    metadata: dict[str, str]

    def system_prompt(self) -> str: ...

    def available_tools(self) -> Sequence[ToolDefinition]: ...


class Size(NamedTuple):
    used: int
    overhead: int
    """Instructions and tools."""
    room: Room

    @property
    def free(self) -> int:
        """What there is for messages."""
        limit = self.room.limit
        return (self.used if limit is None else limit) - self.overhead

    @property
    def is_over(self) -> bool:
        return self.room.limit is not None and self.used > self.room.limit

    @property
    def is_due(self) -> bool:
        """Whether the threshold is reached, by messages more than by what stays anyway."""
        trigger = self.room.trigger
        return trigger is not None and self.used >= trigger and self.used > 2 * self.overhead


def request_of(agent: Conversing) -> Request:
    return Request(agent.system_prompt(), agent.available_tools(), agent.history.messages)


def size_of(request: Request, room: Room, meter: TokenMeter) -> Size:
    used = meter.tokens(request)  # first, for it learns how the service counts
    return Size(used, meter.overhead(request), room)
