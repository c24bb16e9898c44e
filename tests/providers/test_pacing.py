"""At most one request in so many seconds."""

import asyncio

import pytest

from roo_code.providers import pacing
from roo_code.providers.pacing import wait_turn


async def test_requests_of_all_tasks_start_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds))

    monkeypatch.setattr(pacing.time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(pacing.asyncio, "sleep", sleep)
    await asyncio.gather(*(wait_turn("paced", 10) for _ in range(3)))
    await wait_turn("other", 10)
    await wait_turn("free", 0)
    assert waits == [10, 20]
