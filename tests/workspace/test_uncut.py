import asyncio

import pytest

from roo_code.workspace.uncut import uncut


async def test_the_result_is_given() -> None:
    assert await uncut(asyncio.sleep(0, "done")) == "done"


async def test_being_cancelled_waits_for_the_end() -> None:
    may_end, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        done.set()

    doing = asyncio.create_task(uncut(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        doing.cancel()
    await asyncio.sleep(0)
    assert not doing.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await doing
    assert done.is_set()


async def test_a_failure_is_raised_unless_a_cancellation_is() -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        await uncut(fail())
    doing = asyncio.create_task(uncut(fail()))
    await asyncio.sleep(0)
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
