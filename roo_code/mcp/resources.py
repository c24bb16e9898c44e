"""What a client can read: modes, tasks, and files of the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from roo_code.config.mode import Mode
from roo_code.errors import RooCodeError, TaskNotFound, ToolError
from roo_code.mcp.messages import RESOURCE_NOT_FOUND, Json, RpcError
from roo_code.mcp.tasks import HostedTasks
from roo_code.modes.collection import Modes
from roo_code.workspace.workspace import Workspace

_MODES = "roo://modes/"
_TASKS = "roo://tasks/"
_FILES = "roo://workspace/"
_MOST_BYTES = 2_000_000
TEMPLATES: list[Json] = [
    {
        "uriTemplate": _TASKS + "{task_id}",
        "name": "Task",
        "description": "What was said and done in a task.",
        "mimeType": "text/markdown",
    },
    {
        "uriTemplate": _FILES + "{+path}",
        "name": "File",
        "description": "A text file of the workspace.",
        "mimeType": "text/plain",
    },
]


class ResourceHandler:
    def __init__(self, modes: Modes, workspace: Workspace, tasks: HostedTasks | None) -> None:
        self._modes = modes
        self._workspace = workspace
        self._tasks = tasks

    async def list(self) -> list[Json]:
        found: list[Json] = [
            {
                "uri": _MODES + mode.slug,
                "name": mode.name,
                "description": mode.description or mode.when_to_use,
                "mimeType": "application/yaml",
            }
            for mode in self._modes.all
        ]
        if self._tasks is not None:
            found += [
                {
                    "uri": _TASKS + task.id,
                    "name": task.title[:80] or task.id,
                    "description": f"{task.status}, {task.mode} mode",
                    "mimeType": "text/markdown",
                }
                for task in await self._tasks.listed(str(self._workspace.root))
            ]
        return found

    async def read(self, uri: str) -> list[Json]:
        try:
            kind, text = await self._text(uri)
        except (RooCodeError, OSError, ValueError) as error:
            raise RpcError(RESOURCE_NOT_FOUND, f"There is no {uri!r} to read: {error}") from error
        return [{"uri": uri, "mimeType": kind, "text": text}]

    async def _text(self, uri: str) -> tuple[str, str]:
        if uri.startswith(_MODES):
            mode = self._modes.get(uri.removeprefix(_MODES))
            if mode is None:
                raise ToolError("no mode is called so.")
            return "application/yaml", mode_text(mode)
        if uri.startswith(_TASKS):
            id = uri.removeprefix(_TASKS)
            if self._tasks is None:
                raise TaskNotFound(id)
            return "text/markdown", await self._tasks.transcript(id)
        if uri.startswith(_FILES):
            return "text/plain", self._file(unquote(uri.removeprefix(_FILES)))
        raise ToolError("resources/list tells what there is.")

    def _file(self, name: str) -> str:
        """Of the workspace, and not one that its .rooignore hides."""
        path = self._workspace.resolve_readable(name)
        if self._workspace.rooignore.hides_file(path):
            raise ToolError("it is hidden by .rooignore.")
        return _text_of(path)


def _text_of(path: Path) -> str:
    if not path.is_file():
        raise ToolError("there is no such file.")
    if path.stat().st_size > _MOST_BYTES:
        raise ToolError(f"it is larger than {_MOST_BYTES:,} bytes.")
    return path.read_bytes().decode("utf-8")


def file_uri(path: str) -> str:
    return _FILES + quote(path)


def mode_text(mode: Mode) -> str:
    """As a custom mode of Roo's would be written."""
    import yaml  # noqa: PLC0415 - few clients read modes

    groups: list[Any] = []
    for group in mode.groups:
        limits = {"fileRegex": group.file_regex, "description": group.description}
        given = {key: value for key, value in limits.items() if value}
        groups.append([group.name, given] if given else group.name)
    fields = {
        "slug": mode.slug,
        "name": mode.name,
        "roleDefinition": mode.role,
        "whenToUse": mode.when_to_use,
        "description": mode.description,
        "customInstructions": mode.instructions,
        "groups": groups,
    }
    told = {key: value for key, value in fields.items() if value or key == "groups"}
    return yaml.safe_dump(told, allow_unicode=True, sort_keys=False)
