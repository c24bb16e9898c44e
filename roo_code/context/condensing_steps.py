"""How a history is made shorter: giant texts cut, else a summary, else the oldest left out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from roo_code.client import RooClient
from roo_code.condensed_messages import condensed
from roo_code.context.condensing_plan import CHARACTERS_PER_TOKEN, Plan, texts_to_cut
from roo_code.context.condensing_settings import CondenseSettings
from roo_code.context.condensing_size import ClientOrNone, Conversing, Size
from roo_code.context.condensing_summary import SYSTEM_PROMPT, SummaryCall, question, summary_block
from roo_code.context.window import TokenMeter, room_of
from roo_code.errors import (
    AuthenticationFailed,
    ContextTooLong,
    QuotaExceeded,
    RooCodeError,
    TransportError,
)
from roo_code.events import ContextCondensed, Event, TurnStarted
from roo_code.messages import shortened, whole_text_name
from roo_code.todo_list import checklist

MOST_CONDENSES = 3
"""Without anything new being said in between."""
_LEAST_ROOM = 300
"""Tokens: a window that leaves less for the conversation holds none."""
_LEAST_SUMMARY = 2000
_UNKNOWN_WINDOW = 100_000
_FATAL: tuple[type[RooCodeError], ...] = (AuthenticationFailed, QuotaExceeded, TransportError)


class Shortening:
    def __init__(
        self,
        agent: Conversing,
        settings: CondenseSettings,
        create_client: Callable[[], ClientOrNone],
        meter: TokenMeter,
    ) -> None:
        self._agent = agent
        self._settings = settings
        self._create_client = create_client
        self._meter = meter
        self._gave_up = False
        """A summary failed that was not needed yet; none is tried again before it is."""

    @property
    def is_summary_wanted(self) -> bool:
        """Whether a summary should be made though all still fits."""
        return self._can_sum_up() and not self._gave_up

    async def shorten(
        self, size: Size, error: ContextTooLong | None = None
    ) -> AsyncGenerator[Event]:
        history = self._agent.history
        if history.condenses >= MOST_CONDENSES or (size.free < _LEAST_ROOM and size.is_over):
            raise self._too_long(size, error)
        event = ContextCondensed(
            summary="",
            kept=len(history.messages),
            tokens_before=size.used,
            tokens_after=size.used,
            artifacts=self._folder(),
            refused=size.used if error else 0,
        )
        plan = self._plan(size)
        found = plan.only_cut(event) if size.is_over else None
        if found is None and self._can_sum_up():
            yield TurnStarted(turn=history.turns + 1)
            call = SummaryCall()
            async with aclosing(self._ask(call, size)) as events:
                async for told in events:
                    yield told
            event = event.replace(error=call.error, usage=call.usage)
            if call.text:
                event = event.replace(summary=self._summary(call.text, size.free))
            plan = self._plan(size)  # somebody may have said something meanwhile
        found = found or self._fitted(plan, event, size, error)
        yield self._with_figures(found, size)

    async def _ask(self, call: SummaryCall, size: Size) -> AsyncGenerator[Event]:
        metadata = self._agent.metadata
        own = self._create_client()
        if own is None:
            asked = self._question(self._agent.client, size.room.refused)
            events = call.ask(self._agent.client, asked, metadata, _FATAL)
        else:
            events = call.ask(own, self._question(own), metadata)
        try:
            async with aclosing(events):
                async for told in events:
                    yield told
        finally:
            if own is not None:
                await own.aclose()

    def _can_sum_up(self) -> bool:
        """Never what was condensed just now, nor a request alone."""
        history = self._agent.history
        is_new = not history.condenses and len(history.messages) > 1
        return is_new and (self._settings.is_automatic or history.condense_requested)

    def _fitted(
        self, plan: Plan, event: ContextCondensed, size: Size, error: ContextTooLong | None
    ) -> ContextCondensed:
        if not size.is_over and not event.summary:  # it still fits, so nothing need be lost
            self._gave_up = True
            return event
        found = plan.fitted(event)
        if found is None:
            raise self._too_long(size, error)
        if not size.is_over and size.overhead + plan.taken(found) >= size.used:
            return event.replace(summary="", error="The summary is not shorter than the whole.")
        return found

    def _with_figures(self, event: ContextCondensed, size: Size) -> ContextCondensed:
        """The event as it is told, once all that it cuts is in files."""
        messages = self._agent.history.messages
        for text in texts_to_cut(messages, event):
            self._keep_whole(text)
        taken = self._meter.of_messages(condensed(messages, event))
        folder = event.artifacts if event.cut else ""
        return event.replace(tokens_after=size.overhead + taken, artifacts=folder)

    def _keep_whole(self, text: str) -> None:
        artifacts, name = self._agent.context.artifacts, whole_text_name(text)
        if artifacts is not None and not artifacts.path(name).exists():
            hidden = self._agent.context.hide(text)
            artifacts.write(name, hidden.encode("utf-8", "surrogatepass"))

    def _plan(self, size: Size) -> Plan:
        taken = max(size.used - size.overhead, 0)
        return Plan(
            messages=tuple(self._agent.history.messages),
            room=size.free,
            tail=min(size.free, taken) // 4,
            count=self._meter.of_messages,
        )

    def _question(self, client: RooClient, refused: int = 0) -> str:
        room = room_of(client.model_info, client.settings.max_tokens, refused=refused)
        return question(
            self._agent.history.messages,
            self._settings.instructions,
            (room.limit or _UNKNOWN_WINDOW) - self._meter.of_text(SYSTEM_PROMPT) - _LEAST_ROOM // 2,
            self._meter.of_text,
        )

    def _summary(self, text: str, free: int) -> str:
        history, folder = self._agent.history, self._folder()
        most = max(free // 4, min(_LEAST_SUMMARY, free // 3)) * CHARACTERS_PER_TOKEN
        if len(history.request) > most // 2:
            self._keep_whole(history.request)
        return summary_block(
            shortened(history.request, most // 2, folder),
            shortened(text, most),
            shortened(checklist(history.todos), most // 2),
        )

    def _folder(self) -> str:
        artifacts = self._agent.context.artifacts
        return str(artifacts.path("text").parent) if artifacts is not None else ""

    def _too_long(self, size: Size, error: ContextTooLong | None) -> ContextTooLong:
        if error is not None:
            return ContextTooLong(
                f"The service still refuses the conversation as too long, though it was made "
                f"shorter: {error}",
                status=error.status,
            )
        if size.free < _LEAST_ROOM:
            return ContextTooLong(
                f"The instructions and tools take {size.overhead:,} tokens, which leaves no room "
                f"for the conversation in a window of {size.room.window or size.room.limit:,}."
            )
        return ContextTooLong(
            f"The conversation takes {size.used:,} tokens and cannot be made short enough for the "
            f"{size.room.limit:,} that a request to this model may have."
        )
