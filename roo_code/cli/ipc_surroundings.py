"""What tasks that are started over IPC get from this machine's settings, and what may be listed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from roo_code.cli.compose import Composition
from roo_code.cli.compose_provider import choose_provider, offered_models
from roo_code.cli.options import RunOptions
from roo_code.cli.session import Opener, workspace
from roo_code.cli.settings_options import with_settings
from roo_code.config.layers import LayeredSettings
from roo_code.config.paths import roo_home
from roo_code.config.slash_commands import list_commands
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec
from roo_code.ipc.cline_message import ModeName, SlashCommand
from roo_code.ipc.host import Surroundings
from roo_code.ipc.wire import NewTask
from roo_code.json_text import JsonValue
from roo_code.modes.collection import Modes
from roo_code.task.task import TaskSetup

_NOT_OF_A_MODEL = frozenset({"id", "name", "provider"})


class GivenSettings:
    """What tasks were started with, keys among it: in memory, and nowhere else."""

    def __init__(self) -> None:
        self._by_task: dict[str, Mapping[str, JsonValue]] = {}

    def keep(self, task_id: str, given: Mapping[str, JsonValue]) -> None:
        self._by_task[task_id] = given

    def of(self, setup: TaskSetup) -> Mapping[str, JsonValue]:
        """A subtask has those of the task that started it."""
        if setup.task_id not in self._by_task and (parent := setup.spec.parent) is not None:
            self._by_task[setup.task_id] = self._by_task.get(parent.task_id, {})
        return self._by_task.get(setup.task_id, {})

    def forget(self, task_id: str) -> None:
        given = self._by_task.pop(task_id, None)
        for id in [id for id, held in self._by_task.items() if held is given]:
            del self._by_task[id]


def surroundings(composed: Composition, given: GivenSettings, options: RunOptions) -> Surroundings:
    """For tasks in the workspace of these options, which say what a client's settings do not."""
    folder = Path(workspace(options.workspace))
    return Surroundings(
        make_spec=partial(_make_spec, given, options),
        forget=given.forget,
        attend=composed.executor.attend,
        leave=composed.executor.leave,
        commands=partial(_commands, folder),
        modes=partial(_modes, folder),
        models=partial(_models, folder),
    )


def _make_spec(given: GivenSettings, options: RunOptions, task_id: str, task: NewTask) -> TaskSpec:
    folder = Path(workspace(options.workspace))
    settings = LayeredSettings(folder, given=task.configuration).resolve()
    for problem in settings.problems:
        if problem.file == "given with the task" and not problem.harmless:
            raise ConfigError(f"The configuration is wrong: {problem}")
    opener = Opener(
        with_settings(options, settings),
        unattended=False,
        choose_provider=partial(choose_provider, given=task.configuration),
    )
    spec = opener.new_spec(task.text)
    given.keep(task_id, task.configuration)
    return spec


def _commands(folder: Path) -> list[SlashCommand]:
    found, _ = list_commands(folder, roo_home())
    return [
        SlashCommand(
            name=command.name,
            source=command.source,
            file_path=str(command.path),
            description=command.description or None,
            argument_hint=command.argument_hint or None,
        )
        for command in found
    ]


def _modes(folder: Path) -> list[ModeName]:
    return [ModeName(slug=mode.slug, name=mode.name) for mode in Modes(folder).all]


async def _models(folder: Path) -> dict[str, dict[str, Any]]:
    offered = await offered_models(folder, None, "if_old")
    return {
        str(model["id"]): {k: v for k, v in model.items() if k not in _NOT_OF_A_MODEL}
        for model in offered.models
    }
