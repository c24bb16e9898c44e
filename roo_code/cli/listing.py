"""`roo list`: what there is, in the form the original prints it."""

from __future__ import annotations

import asyncio
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from roo_code.cli.bystander import open_tasks
from roo_code.cli.compose_provider import offered_models
from roo_code.cli.config_view import to_json, warn
from roo_code.config.paths import roo_home
from roo_code.config.slash_commands import list_commands
from roo_code.errors import ConfigError
from roo_code.modes.collection import Modes
from roo_code.task.store import TaskQuery, TaskStatus, TaskSummary

_ALL = 1_000_000
_ROO_STATUS: dict[TaskStatus, str] = {"completed": "completed"}
"""Roo knows two: all that is not completed is active."""
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")

_workspace = click.option(
    "-w", "--workspace", metavar="DIR", help="Folder of the project. Default: this one."
)
_format = click.option(
    "--format", "form", type=click.Choice(["json", "text"], case_sensitive=False), default="json",
    help="json (default) or text: one line for each.",
)  # fmt: skip


@click.group("list")
def list_group() -> None:
    """List what there is, for people and programs."""


@list_group.command()
@_workspace
@_format
def commands(workspace: str | None, form: str) -> None:
    """List the slash commands of a project and your own.

    They are the Markdown files in DIR/.roo/commands and ROO_HOME/commands; of two with one name
    the project's counts. Text: /name (source) - description.

    \b
    Example:
      roo list commands --format text
    """
    found, problems = list_commands(_folder(workspace), roo_home())
    warn(problems)
    if form == "text":
        for command in found:
            description = f" - {command.description}" if command.description else ""
            click.echo(_line(f"/{command.name} ({command.source}){description}"))
        return
    listed = [
        {"name": command.name, "source": command.source, "filePath": str(command.path)}
        | _given(
            description=command.description,
            argumentHint=command.argument_hint,
            mode=command.mode,
        )
        for command in found
    ]
    click.echo(to_json({"commands": listed}))


@list_group.command()
@_workspace
@_format
def modes(workspace: str | None, form: str) -> None:
    """List the modes: those built in, your own and a project's.

    Your own stand in ROO_HOME/settings/custom_modes.yaml, a project's in DIR/.roomodes; of two
    with one slug the project's counts, and either before one built in. Text: slug, tab, name.
    See also roo modes.

    \b
    Example:
      roo list modes --format text
    """
    known = Modes.of(_folder(workspace))
    warn(known.problems)
    found: dict[str, dict[str, str]] = {}
    for mode in known.all:
        is_ours = mode.source == "builtin"  # Roo tells of these no more than their names
        found[mode.slug] = {
            "slug": mode.slug,
            "name": mode.name,
            "source": "built-in" if is_ours else mode.source,
        } | ({} if is_ours else _given(whenToUse=mode.when_to_use, description=mode.description))
    if form == "text":
        for slug, listed in found.items():
            click.echo(f"{slug}\t{_line(listed['name'])}")
        return
    click.echo(to_json({"modes": list(found.values())}))


@list_group.command()
@_workspace
@click.option(
    "--provider", metavar="NAME", help="Model service. Default: the one a run here would use."
)
@click.option("--refresh", is_flag=True, help="Ask the service, however fresh its last list is.")
@click.option("--offline", is_flag=True, help="Do not ask the service.")
@_format
def models(
    workspace: str | None, provider: str | None, refresh: bool, offline: bool, form: str
) -> None:
    """List the models of a service. Prices are US dollars per million tokens.

    The service is asked, unless it was in the last five minutes. If it cannot be, these are the
    models it told last, or else those that this version knows; which, is said on stderr. Text: ids.

    \b
    Example:
      roo list models --provider anthropic --format text
    """
    if refresh and offline:
        raise click.UsageError("--refresh asks the service, --offline does not: choose one.")
    asking = "now" if refresh else "never" if offline else "if_old"
    offered = asyncio.run(offered_models(_folder(workspace), provider, asking))
    if offered.note:
        click.echo(f"Note: {offered.note}", err=True)
    found = {str(model["id"]): model for model in offered.models}
    if form == "text":
        for id in sorted(found):
            click.echo(id)
        return
    click.echo(to_json({"models": found}))


@list_group.command()
@_workspace
@_format
def sessions(workspace: str | None, form: str) -> None:
    """List the tasks of a workspace, newest first. Text: id, time and title, between tabs.

    \b
    Example:
      roo list sessions --format text
    """
    folder = workspace_path(workspace)
    found = asyncio.run(_sessions(folder))
    if form == "text":
        for task in found:
            click.echo(f"{task.id}\t{_iso(task.updated_at)}\t{_title(task)}")
        return
    click.echo(to_json({"workspace": folder, "sessions": [_session(task) for task in found]}))


async def _sessions(workspace: str) -> list[TaskSummary]:
    async with open_tasks() as tasks:
        return await tasks.host.tasks(TaskQuery(workspace=workspace, limit=_ALL))


def workspace_path(given: str | None) -> str:
    """A workspace as the store knows it."""
    return os.path.realpath(given or ".")


def _folder(given: str | None) -> Path:
    folder = Path(workspace_path(given))
    if not folder.is_dir():
        raise ConfigError(f"The workspace {str(folder)!r} is not a folder.")
    return folder


def _given(**texts: str) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}


def _line(text: str) -> str:
    """What a stranger wrote, without breaks and what else a terminal would obey."""
    return _BREAKS.sub(" ", text).strip()


def _session(task: TaskSummary) -> dict[str, Any]:
    return {
        "id": task.id,
        "task": task.title,
        "ts": round(task.updated_at * 1000),
        "workspace": task.workspace,
        "mode": task.mode,
        "status": _ROO_STATUS.get(task.status, "active"),
    }


def _iso(timestamp: float) -> str:
    moment = datetime.fromtimestamp(timestamp, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _title(task: TaskSummary) -> str:
    return " ".join(task.title.split())[:120] or "(untitled)"
