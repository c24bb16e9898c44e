"""Bring a stored task back a few times: `python -m benchmarks.recovery FOLDER TIMES`."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.execution.local import LocalExecutor
from roo_code.providers.base import ModelRequest
from roo_code.stream import StreamChunk
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import TaskSetup
from roo_code.testing import ScriptedProvider


class SilentProvider(ScriptedProvider):
    """Never answers: the task is back once the model is about to be asked."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        await asyncio.Event().wait()
        yield  # pyright: ignore[reportReturnType] - makes this a generator


async def recover(path: Path) -> float:
    ready = asyncio.get_running_loop().create_future()

    def create_agent(setup: TaskSetup) -> Agent:
        client = RooClient(ProviderSettings(api_provider="scripted"), provider=SilentProvider())
        agent = Agent(client, history=setup.history, max_iterations=None)
        ready.set_result(time.perf_counter())
        return agent

    started = time.perf_counter()
    store = SqliteTaskStore(path)
    executor = LocalExecutor(store, create_agent, LiveRecords())
    await executor.wake("task")
    done = await ready
    await executor.aclose()
    await store.aclose()
    return done - started


def main() -> None:
    folder, times = Path(sys.argv[1]), int(sys.argv[2])
    milliseconds: list[float] = []
    for number in range(times + 1):
        copy = folder / f"copy-{number}.sqlite3"
        shutil.copy(folder / "tasks.sqlite3", copy)
        milliseconds.append(asyncio.run(recover(copy)) * 1000)
        copy.unlink()
    print(json.dumps({"milliseconds": milliseconds}))


if __name__ == "__main__":
    main()
