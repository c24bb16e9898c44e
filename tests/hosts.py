"""A task host in this process whose model is scripted."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from roo_code.agent import Agent
from roo_code.approval_values import ApprovalSettings
from roo_code.cli.compose_policy import govern
from roo_code.client import RooClient
from roo_code.context.condensing import Condenser
from roo_code.events import Event, EventRecord, TaskSpec
from roo_code.execution.local import LocalExecutor
from roo_code.task.artifacts import TaskArtifacts
from roo_code.task.host import TaskHost, until_pause
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import TaskSetup
from roo_code.tools import AnyTool, ToolContext
from roo_code.workspace.workspace import Workspace


@dataclass
class Hosted:
    host: TaskHost
    executor: LocalExecutor
    store: SqliteTaskStore
    workspace: Path

    def spec(self, prompt: str = "Go.", **fields: object) -> TaskSpec:
        defaults: dict[str, object] = {"approval": ApprovalSettings(level="all")}
        spec = TaskSpec(prompt=prompt, workspace=str(self.workspace), provider={})
        return spec.replace(**(defaults | fields))

    async def until_pause(self, task_id: str, after: int = 0) -> list[EventRecord]:
        """The records up to the end or the parking of the run."""
        return [r async for r in until_pause(self.host.follow(task_id, after))]

    async def events(self, task_id: str) -> list[Event]:
        return [record.event for record in await self.store.read(task_id, 0, 10_000)]


@asynccontextmanager
async def hosted(
    folder: Path, client: Callable[[TaskSetup], RooClient], tools: Sequence[AnyTool] = ()
) -> AsyncGenerator[Hosted]:
    """A host on the store below `folder`; a second one on the same folder is a second process."""
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    store = SqliteTaskStore(folder / "state" / "tasks.sqlite3")
    live = LiveRecords()

    def create_agent(setup: TaskSetup) -> Agent:
        kept = TaskArtifacts(folder / "artifacts" / setup.task_id)
        place = Workspace(Path(setup.spec.workspace), readable=(kept.folder,))
        context = ToolContext(workspace=place, artifacts=kept, resources=setup.resources)
        agent = Agent(
            client(setup),
            tools,
            context=context,
            history=setup.history,
            max_iterations=None,
        )
        govern(agent, setup.spec.approval, lambda text: None)
        agent.consecutive_mistake_limit = setup.spec.consecutive_mistake_limit
        agent.condenser = Condenser(agent)
        return agent

    executor = LocalExecutor(store, create_agent, live)
    try:
        host = TaskHost(store, executor, live, folder / "artifacts")
        yield Hosted(host, executor, store, workspace)
    finally:
        await executor.aclose()
        await store.aclose()
