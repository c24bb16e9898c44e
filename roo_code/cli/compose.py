"""Put together what a command needs: store, executor, host, and an agent for each task."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, SecretStr, ValidationError

from roo_code.agent import Agent
from roo_code.cli.options import RunOptions
from roo_code.cli.sparing import SparingExecutor
from roo_code.client import RooClient
from roo_code.config.paths import state_folder
from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.execution.local import LocalExecutor
from roo_code.messages import Usage
from roo_code.policy.levels import PolicyApprover
from roo_code.providers.base import BaseProvider
from roo_code.providers.catalog import CATALOG, create_provider
from roo_code.task.artifacts import TaskArtifacts
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import CreateAgent, TaskSetup
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

_FIRST_CHOICES = ("anthropic", "openrouter", "openai")
_FLAGS = {"api_provider": "--provider", "api_model_id": "--model", "api_base_url": "--base-url"}


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """What the command line adds to what a task's own log says."""

    folder: Path | None = None
    """Where the store is; by default below ROO_HOME."""
    api_key: str | None = None
    """Never stored: given anew, or taken from the environment, by each process."""
    provider: Callable[[TaskSetup], BaseProvider] | None = None
    """In place of the provider the task names, such as one that replays a recording."""
    spared: frozenset[str] = frozenset()
    """Tasks that this process must not drive, whatever it learns of them."""


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
    executor = SparingExecutor(
        store, _agents(options, folder / "artifacts"), live, spared=options.spared
    )
    try:
        yield Composition(TaskHost(store, executor, live, folder / "artifacts"), executor, store)
    finally:
        await executor.aclose()
        await store.aclose()


def _agents(options: HostOptions, artifacts: Path) -> CreateAgent:
    def create_agent(setup: TaskSetup) -> Agent:
        spec = setup.spec
        kept = TaskArtifacts(artifacts / setup.task_id)
        workspace = Workspace(Path(spec.workspace), readable=(kept.folder,))
        agent = Agent(
            _client(options, setup),
            context=ToolContext(workspace=workspace, artifacts=kept),
            approver=PolicyApprover(spec.approval, workspace),
            history=setup.history,
            max_iterations=None,  # the task's budget counts its turns
            metadata={"task_id": setup.task_id, "mode": spec.mode},
        )
        agent.consecutive_mistake_limit = spec.consecutive_mistake_limit
        return agent

    return create_agent


def _client(options: HostOptions, setup: TaskSetup) -> RooClient:
    settings = _with_key(ProviderSettings.read(setup.spec.provider), options.api_key)
    return RooClient(settings, provider=options.provider(setup) if options.provider else None)


def replaying(path: Path, speed: float = 1) -> Callable[[TaskSetup], BaseProvider]:
    """For `HostOptions.provider`: replies from a recording, which is read and checked here."""
    from roo_code.providers.recording import read_recording  # noqa: PLC0415 - few tasks need it
    from roo_code.providers.replay import ReplayProvider  # noqa: PLC0415

    recording = read_recording(path)
    return lambda _: ReplayProvider(recording, speed=speed)


def choose_provider(
    options: RunOptions, stored: Mapping[str, JsonValue] | None
) -> dict[str, JsonValue]:
    """The provider settings of a task, all but the key; whatever is wrong with them is said now."""
    settings = _settings(options, dict(stored or {}))
    provider = create_provider(_with_key(settings, options.api_key))
    info = provider.model_info()
    if options.max_cost is not None and info.cost(Usage(input_tokens=1)) is None:
        raise ConfigError(
            f"The price of model {info.id!r} is not known, so --max-cost cannot be kept.",
            hint="Limit the task with --max-turns instead, or choose a model with a known price.",
        )
    return settings.model_copy(update={"api_model_id": info.id}).without_secrets()


def _settings(options: RunOptions, stored: dict[str, JsonValue]) -> ProviderSettings:
    if options.provider is not None and options.provider != stored.get("api_provider"):
        stored = {}  # model and address were those of another service
    if not options.exit_on_error and stored.get("max_attempts") == 1:
        del stored["max_attempts"]
    effort = options.reasoning_effort
    given = {
        "api_provider": options.provider,
        "api_model_id": options.model,
        "api_base_url": options.base_url,
        "reasoning_effort": "disable" if effort == "disabled" else effort,
        "max_attempts": 1 if options.exit_on_error else None,
    }
    chosen = {**stored, **{name: value for name, value in given.items() if value is not None}}
    if effort == "unspecified":
        del chosen["reasoning_effort"]
    if not chosen.get("api_provider"):
        chosen["api_provider"] = _default_provider()
    try:
        return ProviderSettings.model_validate(chosen)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in problem["loc"])
        told = problem["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{_FLAGS.get(name, name)} is wrong: {told}.") from error


def _with_key(settings: ProviderSettings, key: str | None) -> ProviderSettings:
    return settings.model_copy(update={"api_key": SecretStr(key)}) if key else settings


def _default_provider() -> str:
    """The first service whose key is in the environment."""
    for name in (*_FIRST_CHOICES, *CATALOG):
        if any(os.environ.get(variable) for variable in CATALOG[name].key_variables):
            return name
    variables = [CATALOG[name].key_variables[0] for name in _FIRST_CHOICES]
    raise ConfigError(
        "It is not said which model service to use, and there is no key in the environment.",
        hint=f"Set {', '.join(variables)} or another service's key,\n"
        "or say which with --provider and --api-key. With a local model: --provider ollama.",
    )
