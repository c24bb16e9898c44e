"""Wait for what another process or thread brings about."""

import asyncio
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], bool | Awaitable[bool]], seconds: float = 20) -> None:
    """Until the condition holds; fails when it does not in time."""
    async with asyncio.timeout(seconds):
        while True:
            answer = condition()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.005)
