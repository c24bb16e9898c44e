"""Budget: one run's dealings with the ledger."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from roo_code.agent import Agent
from roo_code.errors import BudgetExceeded
from roo_code.events import Event, MessageAdded, TurnStarted
from roo_code.messages import Usage
from roo_code.task.store import Amount, TaskStore


class Budget:
    """Reserves when a turn starts, settles when the reply is there.

    What is written travels with the events to the disk; only `check` waits for it.
    """

    def __init__(self, store: TaskStore, task_id: str, agent: Agent) -> None:
        self._store = store
        self._task_id = task_id
        self._agent = agent
        self._asked: asyncio.Future[int] | None = None
        self._reservation: int | None = None
        self._settled: asyncio.Future[None] | None = None

    def note(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            guess = self._agent.estimate()
            known = Usage(input_tokens=guess.input_tokens)
            sure = Amount(
                tokens=guess.input_tokens, cost=self._agent.client.model_info.cost(known) or 0
            )
            self._asked = self._store.reserve(self._task_id, _amount(guess), sure)
        elif isinstance(event, MessageAdded) and event.message.usage is not None:
            self._settle(_amount(event.message.usage))

    async def check(self) -> None:
        """Wait until the ledger has agreed; between a turn's start and the model call."""
        if self._settled is not None:
            settled, self._settled = self._settled, None
            await settled
        if self._asked is not None:
            asked, self._asked = self._asked, None
            self._reservation = await asked

    async def close(self, seconds: float) -> None:
        """A call that brought no reply used a turn; the time is counted in any case."""
        with suppress(BudgetExceeded):
            await self.check()
        self._settle(Amount(turns=1))
        await self._store.spend(self._task_id, Amount(seconds=seconds))
        await self.check()

    def _settle(self, used: Amount) -> None:
        if self._reservation is not None:
            self._settled = self._store.settle(self._reservation, used)
            self._reservation = None


def _amount(usage: Usage) -> Amount:
    return Amount(turns=1, tokens=usage.total_tokens, cost=usage.cost or 0)
