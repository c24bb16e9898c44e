"""`roo list`: what there is, in the form the original prints it."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import UTC, datetime
from typing import Any

import click

from roo_code.cli.bystander import open_tasks
from roo_code.task.store import TaskQuery, TaskStatus, TaskSummary

_ALL = 1_000_000
_ROO_STATUS: dict[TaskStatus, str] = {"completed": "completed"}
"""Roo knows two: all that is not completed is active."""


@click.group("list")
def list_group() -> None:
    """List what there is, for people and programs."""


@list_group.command()
@click.option("-w", "--workspace", metavar="DIR", help="Folder of the sessions. Default: this one.")
@click.option(
    "--format", "form", type=click.Choice(["json", "text"], case_sensitive=False), default="json",
    help="json (default) or text: id, time and title, separated by tabs.",
)  # fmt: skip
def sessions(workspace: str | None, form: str) -> None:
    """List the tasks of a workspace, newest first.

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
    listed = {"workspace": folder, "sessions": [_session(task) for task in found]}
    click.echo(json.dumps(listed, indent=2, ensure_ascii=False))


async def _sessions(workspace: str) -> list[TaskSummary]:
    async with open_tasks() as tasks:
        return await tasks.host.tasks(TaskQuery(workspace=workspace, limit=_ALL))


def workspace_path(given: str | None) -> str:
    """A workspace as the store knows it."""
    return os.path.realpath(given or ".")


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
