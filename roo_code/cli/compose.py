"""Put together what a command needs: store, executor, host, and an agent for each task."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.paths import state_folder
from roo_code.config.schema import ProviderSettings
from roo_code.execution.local import LocalExecutor
from roo_code.policy.levels import PolicyApprover
from roo_code.providers.base import BaseProvider
from roo_code.task.artifacts import TaskArtifacts
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import CreateAgent, TaskSetup
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """What the command line adds to what a task's own log says."""

    folder: Path | None = None
    """Where the store is; by default below ROO_HOME."""
    api_key: str | None = None
    """Never stored: given anew, or taken from the environment, by each process."""
    provider: Callable[[TaskSetup], BaseProvider] | None = None
    """In place of the provider the task names, such as one that replays a recording."""


@dataclass(frozen=True)
class Composition:
    host: TaskHost
    executor: LocalExecutor
    store: SqliteTaskStore


@asynccontextmanager
async def open_host(options: HostOptions | None = None) -> AsyncGenerator[Composition]:
    """Everything for driving tasks in this process, closed in order afterwards."""
    options = options or HostOptions()
    folder = options.folder or state_folder()
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    live = LiveRecords()
    executor = LocalExecutor(store, _agents(options, folder / "artifacts"), live)
    try:
        yield Composition(
            TaskHost(store, executor, live, folder / "artifacts"), executor, store
        )
    finally:
        await executor.aclose()
        await store.aclose()


def _agents(options: HostOptions, artifacts: Path) -> CreateAgent:
    def create_agent(setup: TaskSetup) -> Agent:
        spec = setup.spec
        workspace = Workspace(Path(spec.workspace))
        agent = Agent(
            _client(options, setup),
            context=ToolContext(
                workspace=workspace, artifacts=TaskArtifacts(artifacts / setup.task_id)
            ),
            approver=PolicyApprover(spec.approval, workspace),
            history=setup.history,
            max_iterations=None,  # the task's budget counts its turns
            metadata={"task_id": setup.task_id, "mode": spec.mode},
        )
        agent.consecutive_mistake_limit = spec.consecutive_mistake_limit
        return agent

    return create_agent


def _client(options: HostOptions, setup: TaskSetup) -> RooClient:
    settings = ProviderSettings.model_validate(setup.spec.provider)
    if options.api_key:
        settings = settings.model_copy(update={"api_key": SecretStr(options.api_key)})
    return RooClient(settings, provider=options.provider(setup) if options.provider else None)


def replaying(path: Path, speed: float = 1) -> Callable[[TaskSetup], BaseProvider]:
    """For `HostOptions.provider`: replies from a recording, which is read and checked here."""
    from roo_code.providers.recording import read_recording  # noqa: PLC0415 - few tasks need it
    from roo_code.providers.replay import ReplayProvider  # noqa: PLC0415

    recording = read_recording(path)
    return lambda _: ReplayProvider(recording, speed=speed)
