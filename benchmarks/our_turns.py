"""Conversations with our own library in one process: `agent` alone, or `host` with its store."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pydantic import BaseModel

from benchmarks.places import scratch
from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.commands import StartTask, new_id
from roo_code.config.schema import ProviderSettings
from roo_code.events import ApprovalSettings, RunFailed, TaskSpec
from roo_code.execution.local import LocalExecutor
from roo_code.policy.levels import PolicyApprover
from roo_code.task.host import TaskHost, until_pause
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import TaskSetup
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.workspace import Workspace


class TakeNoteInput(BaseModel):
    text: str


class TakeNote(Tool[TakeNoteInput]):
    name = "take_note"
    description = "Take a note."
    group = "edit"
    input_type = TakeNoteInput

    async def execute(self, arguments: TakeNoteInput, context: ToolContext) -> str:
        return f"Noted: {arguments.text}"


def settings(url: str) -> ProviderSettings:
    return ProviderSettings.read(
        {
            "api_provider": "openai",
            "api_model_id": "bench",
            "api_base_url": url,
            "api_key": "bench",
        }
    )


async def with_agent(urls: list[str]) -> None:
    for url in urls:
        client = RooClient(settings(url))
        await Agent(client, [TakeNote()], max_iterations=None).run("Take the steps.")
        await client.aclose()


async def with_host(urls: list[str], folder: Path) -> None:
    """The host as the command line composes it, every event stored and followed."""
    workspace = Workspace(folder)

    def create_agent(setup: TaskSetup) -> Agent:
        return Agent(
            RooClient(ProviderSettings.read(setup.spec.provider | {"api_key": "bench"})),
            [TakeNote()],
            context=ToolContext(workspace=workspace),
            approver=PolicyApprover(setup.spec.approval, workspace),
            history=setup.history,
            max_iterations=None,
        )

    store = SqliteTaskStore(folder / "state" / "tasks.sqlite3")
    live = LiveRecords()
    executor = LocalExecutor(store, create_agent, live)
    host = TaskHost(store, executor, live, folder / "artifacts")
    for url in urls:
        spec = TaskSpec(
            prompt="Take the steps.",
            workspace=str(folder),
            provider=settings(url).without_secrets(),
            approval=ApprovalSettings(level="all"),
        )
        task_id = new_id()
        await host.handle(StartTask(task_id=task_id, spec=spec))
        async for record in until_pause(host.follow(task_id)):
            if isinstance(record.event, RunFailed):
                sys.exit(f"the task failed: {record.event.error}")
    await executor.aclose()
    await store.aclose()


def main() -> None:
    kind, *urls = sys.argv[1:]
    if kind == "agent":
        asyncio.run(with_agent(urls))
    else:
        with scratch() as folder:
            asyncio.run(with_host(urls, folder))


if __name__ == "__main__":
    main()
