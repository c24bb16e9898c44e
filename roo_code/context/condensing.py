"""Condenser: keeps a conversation within the model's window, and comes to an end doing so.

Between two things that are said, a history is condensed by a summary at most once and made shorter
at most three times, counted in the log; then the run ends with `ContextTooLong`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from roo_code.context.condensing_settings import CondenseSettings
from roo_code.context.condensing_size import ClientOrNone, Conversing, request_of, size_of
from roo_code.context.window import Room, TokenMeter, room_of
from roo_code.errors import ContextTooLong
from roo_code.events import Event

if TYPE_CHECKING:
    from roo_code.context.condensing_steps import Shortening


class Condenser:
    def __init__(
        self,
        agent: Conversing,
        settings: CondenseSettings | None = None,
        create_client: Callable[[], ClientOrNone] = lambda: None,
    ) -> None:
        self._agent = agent
        self._settings = settings or CondenseSettings()
        self._create_client = create_client
        """Of a client for the summaries alone, made for each; by default the agent's serves."""
        self._meter = TokenMeter()
        self._steps: Shortening | None = None

    async def prepare(self) -> AsyncGenerator[Event]:
        """Before each request: shorten the history if it does not fit, or if somebody asked."""
        history = self._agent.history
        if history.pending:
            return
        request, room = request_of(self._agent), self._room(history.refused)
        limit = room.trigger
        is_wanted = history.condense_requested
        if not is_wanted and (limit is None or self._meter.surely_fits(request, limit)):
            return
        size = size_of(request, room, self._meter)
        if is_wanted or size.is_over or (size.is_due and self._shortening().is_summary_wanted):
            async with aclosing(self._shortening().shorten(size)) as events:
                async for event in events:
                    yield event

    async def shorten(self, error: ContextTooLong) -> AsyncGenerator[Event]:
        """After the service refused: its window is smaller than we thought, or we miscounted."""
        request = request_of(self._agent)
        used = self._meter.tokens(request)
        refused = min(used, self._agent.history.refused or used)
        size = size_of(request, self._room(refused), self._meter)
        async with aclosing(self._shortening().shorten(size, error)) as events:
            async for event in events:
                yield event

    def _room(self, refused: int) -> Room:
        client = self._agent.client
        threshold = self._settings.threshold
        return room_of(client.model_info, client.settings.max_tokens, threshold, refused)

    def _shortening(self) -> Shortening:
        if self._steps is None:
            from roo_code.context.condensing_steps import Shortening  # noqa: PLC0415 - few need it

            self._steps = Shortening(self._agent, self._settings, self._create_client, self._meter)
        return self._steps
