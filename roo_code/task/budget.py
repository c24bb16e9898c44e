"""Budget: one run's dealings with the ledger."""

from __future__ import annotations

import asyncio

from roo_code.agent import Agent
from roo_code.events import (
    ContextCondensed,
    Event,
    MessageAdded,
    SideRequestEnded,
    SideRequestStarted,
    TurnStarted,
)
from roo_code.messages import Usage
from roo_code.task.store import Amount, Ledger


class Budget:
    """Reserves before a turn starts, settles when the reply is there."""

    def __init__(self, ledger: Ledger, task_id: str, agent: Agent) -> None:
        self._ledger = ledger
        self._task_id = task_id
        self._agent = agent
        self._reservation: int | None = None
        self._aside: dict[str, int] = {}
        """Reservations of requests beside the conversation."""
        self._settled: asyncio.Future[None] | None = None

    async def note(self, event: Event) -> None:
        """Called before the event is logged: a turn that is refused never started."""
        if isinstance(event, TurnStarted):
            self._settle(Amount(turns=1))  # the last call was refused, and something follows it
            self._reservation = await self._reserve(self._agent.estimate())
            await self._written()
        elif isinstance(event, SideRequestStarted):
            self._aside[event.request_id] = await self._reserve(event.expected)
        elif isinstance(event, SideRequestEnded):
            if (reservation := self._aside.pop(event.request_id, None)) is not None:
                used = _amount(event.usage) if event.usage else Amount(turns=1)
                await self._ledger.settle(reservation, used)
        elif isinstance(event, MessageAdded) and event.message.usage is not None:
            self._settle(_amount(event.message.usage))
        elif isinstance(event, ContextCondensed):
            self._settle(_amount(event.usage) if event.usage else Amount(turns=1))

    async def close(self, seconds: float) -> None:
        """A call that brought no reply used a turn; the time is counted in any case."""
        self._settle(Amount(turns=1))
        for reservation in self._aside.values():
            await self._ledger.settle(reservation, Amount(turns=1))
        self._aside = {}
        await self._ledger.spend(self._task_id, Amount(seconds=seconds))
        await self._written()

    async def _reserve(self, guess: Usage) -> int:
        known = Usage(input_tokens=guess.input_tokens)
        sure = Amount(
            tokens=guess.input_tokens, cost=self._agent.client.model_info.cost(known) or 0
        )
        return await self._ledger.reserve(self._task_id, _amount(guess), sure)

    def _settle(self, used: Amount) -> None:
        if self._reservation is not None:
            self._settled = self._ledger.settle(self._reservation, used)
            self._reservation = None

    async def _written(self) -> None:
        """Settling does not hold up the tools, but a failure to write it is not lost."""
        if self._settled is not None:
            settled, self._settled = self._settled, None
            await settled


def _amount(usage: Usage) -> Amount:
    """Services have told less than nothing; that must not give anything back."""
    return Amount(turns=1, tokens=max(usage.total_tokens, 0), cost=max(usage.cost or 0, 0))
