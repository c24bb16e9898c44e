"""Work that must come to its end, such as ending processes, whoever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def uncut(work: Awaitable[T]) -> T:
    """Do it to the end. A cancellation is raised, but only afterwards."""
    doing = asyncio.ensure_future(work)
    cancelled = False
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        doing.exception()  # noted: nobody will ask
        raise asyncio.CancelledError
    return doing.result()
