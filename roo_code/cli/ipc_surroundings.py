"""What tasks that are started over IPC get from this machine's settings, and what may be listed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from roo_code.cli.compose import Composition
from roo_code.cli.compose_provider import offered_models
from roo_code.cli.given_settings import GivenSettings
from roo_code.cli.options import RunOptions
from roo_code.cli.session import workspace
from roo_code.config.paths import roo_home
from roo_code.config.slash_commands import list_commands
from roo_code.events import TaskSpec
from roo_code.ipc.cline_message import ModeName, SlashCommand
from roo_code.ipc.host import Surroundings
from roo_code.ipc.wire import NewTask
from roo_code.json_text import JsonValue
from roo_code.modes.collection import Modes

_NOT_OF_A_MODEL = frozenset({"id", "name", "provider"})
_USUAL_WINDOW = 128_000
"""Roo's guess where nobody knows."""


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
    return given.new_spec(options, task_id, task.text, task.configuration, unattended=False)


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
    return [ModeName(slug=mode.slug, name=mode.name) for mode in Modes.of(folder).all]


async def _models(folder: Path) -> dict[str, dict[str, Any]]:
    offered = await offered_models(folder, None, "if_old")
    return {str(model["id"]): model_info(model) for model in offered.models}


def model_info(model: Mapping[str, JsonValue]) -> dict[str, Any]:
    """As Roo's schema wants it, which refuses the whole list for one field that it misses."""
    known = {k: v for k, v in model.items() if k not in _NOT_OF_A_MODEL and v is not None}
    info: dict[str, Any] = {"contextWindow": _USUAL_WINDOW, "supportsPromptCache": False, **known}
    tiers: list[dict[str, Any]] = info.pop("tiers", [])
    # Prices above a number of tokens have no place in it, those of a service tier have.
    named = [tier for tier in tiers if "name" in tier and "above" not in tier]
    if named:
        info["tiers"] = [{"contextWindow": info["contextWindow"], **tier} for tier in named]
    return info
