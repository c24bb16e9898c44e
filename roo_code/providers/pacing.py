"""At most one request to a provider in so many seconds, over all tasks of the process."""

from __future__ import annotations

import asyncio
import time

_next_start: dict[str, float] = {}


async def wait_turn(provider: str, seconds: float) -> None:
    """Return when the next request may start; those who wait go in order."""
    if seconds <= 0:
        return
    now = time.monotonic()
    start = max(now, _next_start.get(provider, now))
    _next_start[provider] = start + seconds
    if start > now:
        try:
            await asyncio.sleep(start - now)
        except asyncio.CancelledError:
            if _next_start[provider] == start + seconds:  # nobody has lined up behind it
                _next_start[provider] = start
            raise
