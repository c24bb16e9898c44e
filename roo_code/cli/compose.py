"""Put together what a command needs: store, executor, host, and an agent for each task."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from roo_code.agent import Agent
from roo_code.builtin_tools.hiding import hiding
from roo_code.builtin_tools.project_trust import trusts_tools
from roo_code.builtin_tools.user_tools import UserTools
from roo_code.cli.compose_condensing import condenser_of
from roo_code.cli.compose_mcp import HostServers
from roo_code.cli.compose_modes import HostModes
from roo_code.cli.compose_policy import govern
from roo_code.cli.compose_prompt import HostPrompts
from roo_code.cli.compose_provider import described, fallbacks, hide_keys, tool_secret, with_secrets
from roo_code.cli.options import RunOptions
from roo_code.cli.sparing import SparingExecutor
from roo_code.client import RooClient
from roo_code.config.layers import LayeredSettings
from roo_code.config.paths import roo_home, state_folder
from roo_code.config.schema import ProviderSettings
from roo_code.config.service_keys import brings_own_key
from roo_code.events import Event, EventRecord, SpecChanged, TaskCreated, TaskSpec
from roo_code.execution.local import LocalExecutor
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.modes.agent import ModeAgent
from roo_code.policy.grants import readable_folders
from roo_code.providers.base import BaseProvider, ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.task.artifacts import TaskArtifacts
from roo_code.task.host import TaskHost
from roo_code.task.live import LiveRecords
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.task import CreateAgent, TaskSetup
from roo_code.tool_resources import TaskResources
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:  # few runs are recorded or replayed, and every one waits for its imports
    from roo_code.providers.replaying import Replay, ReplayedTask
    from roo_code.providers.run_recorder import RecordedCall, RunRecorder


class HostOptions(Struct, frozen=True, kw_only=True):
    """What the command line adds to what a task's own log says."""

    folder: Path | None = None
    """Where the store is; by default below ROO_HOME."""
    api_key: str | None = None
    """Never stored: given anew, or taken from the environment, by each process."""
    provider: Callable[[TaskSetup], BaseProvider] | None = None
    """In place of the provider the task names, such as one that replays a recording."""
    replay: Replay | None = None
    """Where replies, and perhaps tool results, come from."""
    record: RunRecorder | None = None
    """Where all of it is written to; closed with the host."""
    spared: frozenset[str] = frozenset()
    """Tasks that this process must not drive, whatever it learns of them."""
    note: Callable[[EventRecord], None] | None = None
    """Hears of every record of the tasks driven here."""
    given: Callable[[TaskSetup], Mapping[str, JsonValue]] = lambda setup: {}
    """Settings that a task was started with and that no log holds, such as its keys."""
    tell: Callable[[str], None] = lambda text: None
    """Hears of tools that were not loaded."""


class Composition(Struct, frozen=True):
    host: TaskHost
    executor: LocalExecutor
    store: SqliteTaskStore


@asynccontextmanager
async def open_host(options: HostOptions | None = None) -> AsyncGenerator[Composition]:
    """Everything for driving tasks in this process, closed in order afterwards."""
    options = options or HostOptions()
    folder = options.folder or state_folder()
    store = SqliteTaskStore(folder / "tasks.sqlite3")
    notes = [options.note] if options.note else []
    notes += [options.record.note] if options.record else []
    live = NotedRecords(notes) if notes else LiveRecords()
    servers = HostServers(options.tell)
    executor = SparingExecutor(
        store, _agents(options, folder / "artifacts", servers), live, spared=options.spared
    )
    try:
        yield Composition(TaskHost(store, executor, live, folder / "artifacts"), executor, store)
    finally:
        await executor.aclose()
        await servers.aclose()
        await store.aclose()
        if options.record is not None:
            options.record.close()


class NotedRecords(LiveRecords):
    """Shows every record to these too, whoever else follows."""

    def __init__(self, notes: Sequence[Callable[[EventRecord], None]]) -> None:
        super().__init__()
        self._notes = notes

    def publish(self, record: EventRecord) -> None:
        for note in self._notes:
            note(record)
        super().publish(record)


def _agents(
    options: HostOptions, artifacts: Path, servers: HostServers | None = None
) -> CreateAgent:
    resting: dict[str, float] = {}
    modes = HostModes(options.tell)
    prompts = HostPrompts(options.tell)
    own_tools = UserTools(roo_home(), options.tell, is_trusted=trusts_tools(roo_home()))

    def create_agent(setup: TaskSetup) -> Agent:
        spec = setup.spec
        kept = TaskArtifacts(artifacts / setup.task_id)
        readable = (kept.folder, roo_home() / "skills", *readable_folders(spec.approval))
        workspace = Workspace(Path(spec.workspace), readable=readable)
        settings = _tool_settings(spec, options.given(setup))
        if spec.provider.get("api_provider") == "workflow":
            return _workflow_agent(options, setup, modes, workspace, kept, settings)
        replayed = _replayed(options, setup, kept.folder)
        client, keyed = _client(options, setup, kept.folder, replayed, resting)
        agent = ModeAgent(
            client,
            own_tools.of(Path(spec.workspace), settings),
            **modes.parts(setup, settings),
            context=ToolContext(
                workspace=workspace,
                artifacts=kept,
                settings=settings,
                task_id=setup.task_id,
                resources=setup.resources,
                hide=hide_keys(keyed),
                secret=partial(tool_secret, Path(spec.workspace)),
            ),
            max_iterations=None,  # the task's budget counts its turns
            metadata={"task_id": setup.task_id, "mode": spec.mode},
        )
        agent.consecutive_mistake_limit = spec.consecutive_mistake_limit
        govern(agent, spec.approval, options.tell)
        if replayed is not None:
            agent.approver = replayed.approver(agent.approver)
            agent.tools.recovery = replayed.recovery or agent.tools.recovery
        elif options.provider is None:
            modes.follow_profiles(agent, spec, partial(_client_of, options, setup, resting, kept))
        if servers is not None and (replayed is None or replayed.recovery is None):
            servers.serve(agent)
        prompts.prepare(agent, replayed)
        if replayed is None:
            agent.condenser = condenser_of(agent, spec, options.tell, RooClient)
        agent.tools.recovery = hiding(agent.tools.recovery, agent.context.hide)
        return agent

    return create_agent


def _workflow_agent(
    options: HostOptions,
    setup: TaskSetup,
    modes: HostModes,
    workspace: Workspace,
    artifacts: TaskArtifacts,
    settings: Mapping[str, JsonValue],
) -> Agent:
    from roo_code.cli.compose_workflow import settings_below, workflow_agent  # noqa: PLC0415 - few run one

    hide = hide_keys([settings_below(setup.spec)])
    context = ToolContext(
        workspace=workspace,
        artifacts=artifacts,
        settings=settings,
        task_id=setup.task_id,
        resources=setup.resources,
        hide=hide,
    )
    agent = workflow_agent(setup, modes, context)
    govern(agent, setup.spec.approval, options.tell)
    agent.tools.recovery = hiding(agent.tools.recovery, hide)
    return agent


def _client_of(
    options: HostOptions,
    setup: TaskSetup,
    resting: dict[str, float],
    kept: TaskArtifacts,
    spec: TaskSpec,
) -> tuple[RooClient, list[ProviderSettings]]:
    """The client of another mode; a key that was given is for the service it was given with."""
    if spec.provider.get("api_provider") != setup.spec.provider.get("api_provider"):
        options = replace(options, api_key=None)
    return _client(options, replace(setup, spec=spec), kept.folder, None, resting)


def _tool_settings(spec: TaskSpec, given_with: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """What the settings say to tools; a value that is wrong was told of and left out."""
    in_sandbox = spec.approval.level == "full-auto-in-sandbox"
    chosen = "required" if in_sandbox else spec.sandbox
    given: dict[str, JsonValue] = {"mode": spec.mode}
    if chosen:
        given["sandbox"] = chosen
    return LayeredSettings(Path(spec.workspace), given=given_with).resolve(given).values


def _client(
    options: HostOptions,
    setup: TaskSetup,
    artifacts: Path,
    replayed: ReplayedTask | None,
    resting: dict[str, float],
) -> tuple[RooClient, list[ProviderSettings]]:
    """The client, and all settings whose keys it uses."""
    settings = ProviderSettings.read(setup.spec.provider)
    given = options.provider(setup) if options.provider else None
    given = replayed.provider if replayed is not None else given

    def create(settings: ProviderSettings) -> BaseProvider:
        provider = given or create_provider(settings)
        if options.record is None:
            return provider
        return options.record.recorded(provider, _call(setup, settings, artifacts))

    if given is not None:
        return RooClient(settings, provider=create(settings)), [settings]
    layers = LayeredSettings(Path(setup.spec.workspace), given=options.given(setup))
    own = brings_own_key(layers.given, settings.api_provider)
    key = None if own else options.api_key
    settings = with_secrets(settings, key, layers, setup.spec.mode)
    if not settings.options.get("fallbackProfiles"):
        return RooClient(settings, provider=create(settings)), [settings]
    from roo_code.providers.fallback import fallback_provider  # noqa: PLC0415 - few runs have any

    first = f"{settings.api_provider} {settings.api_model_id}".rstrip()
    members = {first: settings} | fallbacks(layers).named(settings)
    provider = fallback_provider(members, create, resting)
    return RooClient(settings, provider=provider), [*members.values()]


def _replayed(options: HostOptions, setup: TaskSetup, artifacts: Path) -> ReplayedTask | None:
    if options.replay is None:
        return None
    from roo_code.providers.places import Places  # noqa: PLC0415 - few tasks need it
    from roo_code.providers.recorded_task import words_of  # noqa: PLC0415

    return options.replay.task(
        setup.task_id,
        words_of(setup.history.messages[0]),
        Places.here(Path(setup.spec.workspace), artifacts),
        is_subtask=setup.spec.parent is not None,
    )


def _call(setup: TaskSetup, settings: ProviderSettings, artifacts: Path) -> RecordedCall:
    from roo_code.providers.places import Places  # noqa: PLC0415 - few tasks need it
    from roo_code.providers.run_recorder import RecordedCall  # noqa: PLC0415

    return RecordedCall(
        task_id=setup.task_id,
        is_subtask=setup.spec.parent is not None,
        settings=settings,
        places=Places.here(Path(setup.spec.workspace), artifacts),
    )


def open_recorder(options: RunOptions) -> RunRecorder | None:
    """For `HostOptions.record`: what keeps the file from being written is said here."""
    if options.record is None:
        return None
    from roo_code.providers.run_recorder import RunRecorder  # noqa: PLC0415 - few runs need it

    return RunRecorder(Path(options.record), goes_on=options.resumes)


def record_stored(path: Path, logs: Mapping[str, Sequence[Event]]) -> int:
    """Write a recording of a task, which is the first, and of its subtasks; count the replies."""
    from roo_code.providers.afterwards import SilentProvider, record_log  # noqa: PLC0415
    from roo_code.providers.run_recorder import new_recording  # noqa: PLC0415

    artifacts = state_folder() / "artifacts"
    first = next(iter(logs))
    spec = [event.spec for event in logs[first] if isinstance(event, TaskCreated | SpecChanged)][-1]
    settings = ProviderSettings.read(spec.provider)
    silent = SilentProvider(described(settings))
    create_agent = _agents(HostOptions(provider=lambda _: silent), artifacts)
    asked = partial(_unasked, create_agent)

    # What is secret must be known to be left out.
    known = with_secrets(settings, None, LayeredSettings(Path(spec.workspace)))
    call = _call(TaskSetup(first, spec, History(), TaskResources()), known, artifacts / first)
    with closing(new_recording(path, call, silent.model_info())) as writer:
        return sum(
            record_log(writer, events, partial(asked, id), None if id == first else id)
            for id, events in logs.items()
        )


def first_request(spec: TaskSpec, tell: Callable[[str], None]) -> ModelRequest:
    """What the model of such a task is told before anything is said; nobody is asked."""
    from roo_code.providers.afterwards import SilentProvider  # noqa: PLC0415 - few need it

    silent = SilentProvider(described(ProviderSettings.read(spec.provider)))
    options = HostOptions(provider=lambda _: silent, tell=tell)
    return _unasked(_agents(options, state_folder() / "artifacts"), "", spec)


def _unasked(create_agent: CreateAgent, task_id: str, spec: TaskSpec) -> ModelRequest:
    agent = create_agent(TaskSetup(task_id, spec, History(), TaskResources()))
    tools = agent.available_tools()
    return ModelRequest(system_prompt=agent.system_prompt(), messages=(), tools=tools)


def open_replay(options: RunOptions, tell: Callable[[str], None], *, speed: float) -> Replay | None:
    """For `HostOptions.replay`: the recording is read and checked here."""
    if options.replay is None:
        return None
    from roo_code.providers import replaying  # noqa: PLC0415 - few runs need it

    return replaying.Replay(
        Path(options.replay),
        speed=speed if options.replay_speed is None else options.replay_speed,
        tools=options.replay_tools,
        tell=replaying.refuse if options.replay_strict else lambda found: tell(str(found)),
    )


def replaying(path: Path, speed: float = 1) -> Callable[[TaskSetup], BaseProvider]:
    """For `HostOptions.provider`: replies from a recording, which is read and checked here."""
    from roo_code.providers.recording import read_recording  # noqa: PLC0415 - few tasks need it
    from roo_code.providers.replay import ReplayProvider  # noqa: PLC0415

    recording = read_recording(path)
    return lambda _: ReplayProvider(recording, speed=speed)
