"""The reader of mentions that an agent is given; most prompts have none, and load no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from roo_code.events import Event, ModeSwitched
from roo_code.history import History
from roo_code.tools import ToolContext


def mention_reader(
    context: ToolContext, history: History, is_mode: Callable[[str], bool] = lambda slug: False
) -> Callable[[], AsyncGenerator[Event]]:
    """Reads what the user has pointed at, with the rights and settings of a task's tools.

    The user's word for a slash command is the user's word for the mode that it wants.
    """

    async def read() -> AsyncGenerator[Event]:
        if not any("@" in text or "/" in text for text in history.unread):
            return
        from roo_code.mentions.finding import find_mentions  # noqa: PLC0415 - most have none

        mentions = find_mentions(tuple(history.unread))
        if not mentions:
            return
        from roo_code.mentions.reading import MentionReading  # noqa: PLC0415 - loads pydantic

        reading = MentionReading(context, is_mode=is_mode)
        found = await reading.read(mentions)
        if found is None:
            return
        wanted = reading.wanted_mode
        if wanted is not None and wanted.mode != history.mode:
            # First: once the mentions are noted, nobody reads them again after a crash.
            reason = f"The command /{wanted.name} wants it."
            yield ModeSwitched(mode=wanted.mode, previous=history.mode, reason=reason)
        yield found

    return read
