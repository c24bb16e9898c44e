"""Budget: one run's dealings with the ledger."""

from __future__ import annotations

from roo_code.agent import Agent
from roo_code.events import Event, MessageAdded, TurnStarted
from roo_code.messages import Usage
from roo_code.task.store import Amount, TaskStore


class Budget:
    """Reserves when a turn starts, settles when the reply is there."""

    def __init__(self, store: TaskStore, task_id: str, agent: Agent) -> None:
        self._store = store
        self._task_id = task_id
        self._agent = agent
        self._reservation: int | None = None

    async def note(self, event: Event) -> None:
        """Called between the event and what it announces, so a refusal stops the model call."""
        if isinstance(event, TurnStarted):
            guess = self._agent.estimate()
            ceiling = _amount(guess)
            sure = Amount(
                turns=1,
                tokens=guess.input_tokens,
                cost=self._agent.client.model_info.cost(Usage(input_tokens=guess.input_tokens))
                or 0,
            )
            self._reservation = await self._store.reserve(self._task_id, ceiling, sure)
        elif isinstance(event, MessageAdded) and event.message.usage is not None:
            await self._settle(_amount(event.message.usage))

    async def close(self, seconds: float) -> None:
        """A call that brought no reply used a turn; the time is counted in any case."""
        await self._settle(Amount(turns=1))
        await self._store.spend(self._task_id, Amount(seconds=seconds))

    async def _settle(self, used: Amount) -> None:
        if self._reservation is not None:
            reservation, self._reservation = self._reservation, None
            await self._store.settle(reservation, used)


def _amount(usage: Usage) -> Amount:
    return Amount(turns=1, tokens=usage.total_tokens, cost=usage.cost or 0)
