"""list_files: what is in a folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.list_files_walk import Entry, Listing, Walk, in_order
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.policy.protected import is_protected
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.opening import told_plainly
from roo_code.workspace.rooignore import LOCK
from roo_code.workspace.workspace import Workspace

LIMIT = 200
PATIENCE = 10.0
SHIELD = "\N{SHIELD}\N{VARIATION SELECTOR-16}"
"""Marks what only a person may let the agent change."""


class ListFilesInput(ToolInput):
    path: str = Field(
        default=".",
        min_length=1,
        validation_alias=AliasChoices(
            "path", "directory", "dir", "dir_path", "folder", "relative_workspace_path"
        ),
        description="The folder, relative to the workspace.",
    )
    recursive: bool = Field(
        default=False, description="Also what is in the folders below, level by level."
    )


class ListFiles(Tool[ListFilesInput]):
    name = "list_files"
    description = (
        f"List files and folders, at most {LIMIT}. Folders end with a slash. What git ignores is "
        "left out; hidden folders and those of dependencies and builds are named but not opened, "
        "unless you list them by name."
    )
    group = "read"
    input_type = ListFilesInput
    repeatable = True

    async def execute(self, arguments: ListFilesInput, context: ToolContext) -> str:
        workspace = context.workspace
        start = workspace.resolve_readable(arguments.path)
        # Whoever works in a home folder does not mean all that is in it.
        whole_disk = start in {Path(start.anchor), await asyncio.to_thread(Path.home)}
        walk = Walk(
            home=workspace.home_of(start),
            start=start,
            limit=LIMIT,
            patience=PATIENCE,
            cancelled=threading.Event(),
            locks=_locks(workspace, start),
            recursive=arguments.recursive and not whole_disk,
            show_locked=context.settings.get("showRooIgnoredFiles") is True,
        )
        with told_plainly(arguments.path):
            try:
                listing = await asyncio.to_thread(walk.list)
            except NotADirectoryError as error:
                raise ToolError(f"{arguments.path!r} is a file; read_file shows it.") from error
            finally:
                walk.cancelled.set()
        text = _report(listing, lambda entry: _relative(workspace, start, entry))
        if arguments.recursive and whole_disk:
            text += "\n\n(Only the first level: name a folder below to list all that is in it.)"
        return text


def _locks(workspace: Workspace, start: Path) -> Callable[[Entry], bool]:
    ignored = workspace.rooignore

    def locks(entry: Entry) -> bool:
        if entry.link:
            return ignored.hides_file(start.joinpath(*entry.parts))
        return ignored.hides(_relative(workspace, start, entry), folder=entry.folder)

    return locks if ignored.exists() else lambda entry: False


def _relative(workspace: Workspace, start: Path, entry: Entry) -> str:
    return workspace.relative(start.joinpath(*entry.parts))


def _report(listing: Listing, relative: Callable[[Entry], str]) -> str:
    entries = sorted(listing.entries, key=in_order)
    lines = [_line(entry, relative(entry)) for entry in entries] or ["No files found."]
    if listing.cut:
        lines += ["", f"(Cut at {LIMIT} entries: list a folder below to see more of it.)"]
    if listing.stopped:
        lines += ["", f"(Stopped after {PATIENCE:.0f} s: list a folder below to see more of it.)"]
    return "\n".join(lines)


def _line(entry: Entry, relative: str) -> str:
    name = "/".join(entry.parts) + ("/" if entry.folder else "")
    name = name.encode("utf-8", "replace").decode()
    if entry.locked:
        return f"{LOCK} {name}"
    return f"{SHIELD} {name}" if is_protected(relative) else name
