"""Stores full of tasks like those of real use."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

from roo_code.events import (
    ApprovalDecided,
    Event,
    EventRecord,
    MessageAdded,
    TaskSpec,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent, Usage
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import Lease

_LINE = "    return [record for record in records if record.seq > after]  # line {}\n"


def text(size: int) -> str:
    lines = size // len(_LINE) + 1
    return "".join(_LINE.format(number) for number in range(lines))[:size]


def task_spec(number: int = 0) -> TaskSpec:
    prompt = f"Task {number}: find out why the report is empty and mend it.\n" + text(400)
    return TaskSpec(prompt=prompt, workspace="/workspace", provider={"api_provider": "openai"})


def events(count: int) -> list[Event]:
    """Turns of five events; 4.6 KB an event and four fifths of it tool results, which is what
    OpenHands counted in 433 conversations. The last turn is cut off after its start."""
    return [*islice(_turns(), count - 1), TurnStarted(turn=count)]


def _turns() -> Iterator[Event]:
    turn = 0
    while True:
        turn += 1
        call = ToolUseContent(
            id=f"call_{turn}", name="execute_command", input={"command": text(1_200)}
        )
        reply = Message(
            role="assistant",
            content=(TextContent(text=text(600)), call),
            stop_reason="tool_use",
            usage=Usage(input_tokens=20_000, output_tokens=500, cost=0.01),
            model="bench",
        )
        yield TurnStarted(turn=turn)
        yield MessageAdded(message=reply)
        yield ApprovalDecided(tool_use_id=call.id, approved=True, by="policy", reason="all")
        yield ToolStarted(call=call)
        yield ToolFinished(result=ToolResult(tool_use_id=call.id, content=text(18_500)))


async def store_task(store: SqliteTaskStore, task_id: str, count: int) -> Lease:
    """A task of `count` events whose driver still holds it."""
    await store.create(task_id, task_spec())
    lease = await store.acquire(task_id, "another-machine|1|1|bench")
    assert lease is not None
    records = [
        EventRecord(task_id=task_id, seq=seq, at=datetime.now(UTC), event=event)
        for seq, event in enumerate(events(count - 1), start=2)
    ]
    await store.append(lease, records)
    return lease
