"""Tasks that another program starts, perhaps with settings of its own: a model and its key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.options import RunOptions
from roo_code.cli.session import Opener, workspace
from roo_code.cli.settings_options import with_settings
from roo_code.config.layers import LayeredSettings
from roo_code.config.roo_provider_names import ADDRESS, COMMON, KEY, MODEL, own_field
from roo_code.config.service_keys import key_of_service
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec
from roo_code.json_text import JsonValue
from roo_code.task.task import TaskSetup

_EFFORT = "reasoning_effort"
_FLAGS = {MODEL: "model", ADDRESS: "base_url", KEY: "api_key", _EFFORT: _EFFORT}
"""Options of the command line that choose a model, by what they choose."""


class GivenSettings:
    """What tasks were started with, keys among it: in memory, and nowhere else."""

    def __init__(self) -> None:
        self._by_task: dict[str, Mapping[str, JsonValue]] = {}

    def new_spec(
        self,
        options: RunOptions,
        task_id: str,
        prompt: str,
        given: Mapping[str, JsonValue],
        *,
        unattended: bool | None = None,
    ) -> TaskSpec:
        """As the function of this name; what was given is kept for when the task is driven."""
        spec = new_spec(options, prompt, given, unattended=unattended)
        self._by_task[task_id] = _completed(given, options)
        return spec

    def of(self, setup: TaskSetup) -> Mapping[str, JsonValue]:
        """A subtask has those of the task that started it."""
        if setup.task_id not in self._by_task and (parent := setup.spec.parent) is not None:
            self._by_task[setup.task_id] = self._by_task.get(parent.task_id, {})
        return self._by_task.get(setup.task_id, {})

    def forget(self, task_id: str) -> None:
        given = self._by_task.pop(task_id, None)
        for id in [id for id, held in self._by_task.items() if held is given]:
            del self._by_task[id]


def new_spec(
    options: RunOptions,
    prompt: str,
    given: Mapping[str, JsonValue],
    *,
    unattended: bool | None = None,
) -> TaskSpec:
    """By the settings in force, what was given with the task first among them.

    Args:
        options: What the command line said; its choice of model and mode may be overruled.
        unattended: Whether nobody can answer; None: so it is, unless approvals are required.

    Raises:
        ConfigError: The settings, or what they name, are wrong.
    """
    settings = LayeredSettings(Path(workspace(options.workspace)), given=given).resolve()
    for problem in settings.problems:
        if problem.file == "given with the task" and not problem.harmless:
            raise ConfigError(f"The configuration is wrong: {problem}.", hint=problem.hint)
    wanted = with_settings(_overruled(options, given), settings)
    if unattended is None:
        unattended = not wanted.require_approval
    choose = partial(choose_provider, given=_completed(given, options))
    return Opener(wanted, unattended, choose).new_spec(prompt)


def _overruled(options: RunOptions, given: Mapping[str, JsonValue]) -> RunOptions:
    """The options without those of model and mode that the task's settings speak of."""
    provider = str(given.get("apiProvider") or options.provider or "")
    if provider != (options.provider or ""):  # model, address and key are those of another service
        spoken_of = {"provider", *_FLAGS.values()}
    else:
        fields = {own_field(key, provider) or COMMON.get(key) for key in given}
        spoken_of = {flag for field, flag in _FLAGS.items() if field in fields}
    if "mode" in given:
        spoken_of.add("mode")
    return replace(options, **dict.fromkeys(spoken_of))


def _completed(given: Mapping[str, JsonValue], options: RunOptions) -> Mapping[str, JsonValue]:
    """With the service that the flags name, and its key, where the settings leave them open."""
    provider = options.provider
    if not given or provider is None or given.get("apiProvider", provider) != provider:
        return given
    key = {key_of_service(provider): options.api_key} if options.api_key else {}
    return {"apiProvider": provider, **key, **given}
