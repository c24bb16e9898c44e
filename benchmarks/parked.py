"""Park many tasks on a question in one host: `python -m benchmarks.parked COUNT`."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from pathlib import Path

from benchmarks.places import scratch
from benchmarks.process import own_bytes
from benchmarks.stored_tasks import task_spec
from roo_code.agent import Agent
from roo_code.commands import StartTask, new_id
from roo_code.events import RunParked
from roo_code.execution.local import LocalExecutor
from roo_code.messages import ToolUseContent
from roo_code.task.host import TaskHost, until_pause
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import TaskSetup
from roo_code.testing import scripted_client

_AT_ONCE = 50
_REST_SECONDS = 3


def create_agent(setup: TaskSetup) -> Agent:
    question = ToolUseContent(
        id="call_1",
        name="ask_followup_question",
        input={"question": "Which of the two?", "follow_up": ["The first.", "The second."]},
    )
    return Agent(scripted_client([question]), history=setup.history, max_iterations=None)


async def park(host: TaskHost, number: int) -> str:
    task_id = new_id()
    await host.handle(StartTask(task_id=task_id, spec=task_spec(number)))
    records = [record async for record in until_pause(host.follow(task_id))]
    if not isinstance(records[-1].event, RunParked):
        sys.exit(f"the task did not park: {records[-1].event!r}")
    return task_id


async def follow(host: TaskHost, task_id: str) -> None:
    async for _ in host.follow(task_id):
        pass


async def at_rest() -> dict[str, float]:
    gc.collect()
    await asyncio.sleep(1)
    used, begun = time.process_time(), time.monotonic()
    await asyncio.sleep(_REST_SECONDS)
    share = (time.process_time() - used) / (time.monotonic() - begun)
    return {"bytes": own_bytes(), "cpu": share}


async def measure(folder: Path, count: int) -> dict[str, dict[str, float]]:
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    live = LiveRecords()
    executor = LocalExecutor(store, create_agent, live)
    host = TaskHost(store, executor, live, folder / "artifacts")
    await park(host, 0)  # everything is loaded now
    found = {"empty": await at_rest()}
    parked: list[str] = []
    for begin in range(0, count, _AT_ONCE):
        numbers = range(begin, min(begin + _AT_ONCE, count))
        parked += await asyncio.gather(*(park(host, number) for number in numbers))
    found["parked"] = await at_rest()
    followers = [asyncio.create_task(follow(host, task_id)) for task_id in parked]
    found["parked, each followed"] = await at_rest()
    for follower in followers:
        follower.cancel()
    await asyncio.gather(*followers, return_exceptions=True)
    await executor.aclose()
    await store.aclose()
    return found


def main() -> None:
    with scratch() as folder:
        print(json.dumps(asyncio.run(measure(folder, int(sys.argv[1])))))


if __name__ == "__main__":
    main()
