"""The reader of mentions that an agent is given; most prompts have none, and load no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from roo_code.events import Event
from roo_code.history import History
from roo_code.tools import ToolContext


def mention_reader(context: ToolContext, history: History) -> Callable[[], AsyncGenerator[Event]]:
    """Reads what the user has pointed at, with the rights and settings of a task's tools."""

    async def read() -> AsyncGenerator[Event]:
        if not any("@" in text or "/" in text for text in history.unread):
            return
        from roo_code.mentions.finding import find_mentions  # noqa: PLC0415 - most have none

        mentions = find_mentions(tuple(history.unread))
        if not mentions:
            return
        from roo_code.mentions.reading import MentionReading  # noqa: PLC0415 - loads pydantic

        found = await MentionReading(context).read(mentions)
        if found is not None:
            yield found

    return read
