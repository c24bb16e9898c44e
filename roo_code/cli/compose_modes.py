"""Put together a task's mode: which there are, and whose model answers in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict

from msgspec.structs import replace

from roo_code.builtin_tools.hiding import hiding
from roo_code.cli.compose_provider import hide_keys
from roo_code.client import RooClient
from roo_code.config.layers import LayeredSettings
from roo_code.config.run_settings import stored_provider
from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec
from roo_code.json_text import JsonValue
from roo_code.modes.agent import ModeAgent
from roo_code.modes.collection import Modes
from roo_code.modes.orchestrator import ModeOrchestrator
from roo_code.modes.task import Task
from roo_code.task.task import TaskSetup

CreateClient = Callable[[TaskSpec], tuple[RooClient, list[ProviderSettings]]]


class ModeParts(TypedDict):
    orchestrator: ModeOrchestrator
    task: Task


class HostModes:
    """The modes of tasks in any workspace; what is wrong with their files is told once."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def parts(self, setup: TaskSetup, settings: Mapping[str, JsonValue]) -> ModeParts:
        """For `ModeAgent`."""
        modes = Modes(Path(setup.spec.workspace), settings=settings)
        for problem in map(str, modes.problems):
            if problem not in self._told:
                self._told.add(problem)
                self._tell(f"Modes: {problem}.")
        parent = setup.spec.parent
        task = Task(
            setup.history.mode or setup.spec.mode,
            id=setup.task_id,
            history=setup.history,
            depth=parent.depth if parent else 0,
        )
        return ModeParts(orchestrator=ModeOrchestrator(modes), task=task)

    def follow_profiles(self, agent: ModeAgent, spec: TaskSpec, create: CreateClient) -> None:
        """Have the profile of a mode, where it has one, answer from its first request on."""
        current = spec.provider

        def client_for(mode: str) -> RooClient | None:
            nonlocal current
            wanted = provider_of_mode(spec, mode)
            if wanted == current:
                return None
            try:
                client, keyed = create(spec.replace(mode=mode, provider=wanted))
            except ConfigError as error:
                self._tell(f"The profile of mode {mode} is not used: {error} {error.hint}".strip())
                return None
            current = wanted
            _hide_too(agent, hide_keys(keyed))
            return client

        agent.client_for = client_for
        agent.provider_for = lambda mode: provider_of_mode(spec, mode)


def _hide_too(agent: ModeAgent, hide: Callable[[str], str]) -> None:
    before = agent.context.hide

    def hide_both(text: str) -> str:
        return hide(before(text))

    agent.context = replace(agent.context, hide=hide_both)
    agent.tools.recovery = hiding(agent.tools.recovery, hide)


def provider_of_mode(spec: TaskSpec, mode: str) -> dict[str, JsonValue]:
    """The task's own, unless the settings keep another profile for the mode."""
    if mode == spec.mode:
        return spec.provider
    layers = LayeredSettings(Path(spec.workspace))
    own, usual = (layers.resolve({"mode": slug}) for slug in (mode, spec.mode))
    if own.profile is None or own.profile == usual.profile:
        return spec.provider
    return stored_provider(own)
