"""Work that blocks, in a thread that nothing waits for when the program ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

ResultT = TypeVar("ResultT")


async def in_own_thread(work: Callable[[], ResultT], seconds: float) -> ResultT:
    """What the work returns or raises; TimeoutError where it takes longer.

    Not in the event loop's own threads: at its end it waits for those, and a hung look-up would
    keep the program from ending. The work goes on when nobody waits for it any more.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[ResultT] = loop.create_future()

    def settle(result: ResultT | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # pyright: ignore[reportArgumentType] - there is one
        else:
            done.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as problem:  # noqa: BLE001 - the caller gets it
            error = problem
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="roo-look-up", daemon=True).start()
    async with asyncio.timeout(seconds):
        return await done
