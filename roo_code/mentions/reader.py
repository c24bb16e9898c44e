"""The reader of mentions that an agent is given; most prompts have none, and load no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from roo_code.events import MentionsRead
from roo_code.tools import ToolContext


def mention_reader(
    context: ToolContext,
) -> Callable[[Sequence[str]], Awaitable[MentionsRead | None]]:
    """Reads what texts point at, with the rights and settings of a task's tools."""

    async def read(texts: Sequence[str]) -> MentionsRead | None:
        if not any("@" in text or "/" in text for text in texts):
            return None
        from roo_code.mentions.finding import find_mentions  # noqa: PLC0415 - most have none

        mentions = find_mentions(texts)
        if not mentions:
            return None
        from roo_code.mentions.reading import MentionReading  # noqa: PLC0415 - loads pydantic

        return await MentionReading(context).read(mentions)

    return read
