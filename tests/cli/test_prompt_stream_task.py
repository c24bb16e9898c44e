"""StreamedTask: what is said to a task is taken for what it is meant as."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from roo_code.cli.prompt_stream_task import StreamedTask
from roo_code.cli.session import Opening
from roo_code.cli.stream_events import JsonEvent, StreamEvents
from roo_code.commands import RespondToApproval
from roo_code.events import Event, EventRecord
from roo_code.task.leases import process_owner
from roo_code.testing import scripted_client
from tests.cli.stored_tasks import asks_approval, call
from tests.hosts import hosted
from tests.waiting import until


async def test_a_yes_that_comes_as_soon_as_the_call_is_shown_is_its_approval(
    tmp_path: Path,
) -> None:
    """The call is shown with the reply, before it is decided whether it must be asked about."""
    shown: list[JsonEvent] = []
    turn, reply, asked, parked = asks_approval(call("c", "make"))
    async with hosted(tmp_path, lambda setup: scripted_client()) as host:
        await host.store.create("t", host.spec())
        lease = await host.store.acquire("t", process_owner())  # the test drives it
        assert lease is not None

        async def happen(seq: int, event: Event) -> None:
            record = EventRecord(task_id="t", seq=seq, at=datetime.now(UTC), event=event)
            await host.store.append(lease, [record])

        task = StreamedTask(host.host, host.executor, StreamEvents(partial=True), shown.append, "s")
        await task.open(Opening(task_id="t", status="parked"))
        await happen(2, turn)
        await happen(3, reply)
        await until(lambda: any(event["type"] == "tool_use" for event in shown))
        saying = asyncio.create_task(task.say("m", "yes", ()))
        await happen(4, asked)
        await happen(5, parked)
        assert await asyncio.wait_for(saying, 20) == "responded"
        (command,) = await host.store.inbox("t")
        assert isinstance(command, RespondToApproval)
        assert (command.tool_use_id, command.approved) == ("c", True)
        await task.aclose()
