"""Tools that a user adds: Python files in a `tools` folder, or an installed package's.

A file is code, and a project may come from anyone: its files run only if somebody said so of just
this content. What cannot be loaded is told and left out; it never stops a run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from roo_code.json_text import JsonValue
from roo_code.sandbox.confinement import confinement, sandbox_mode
from roo_code.tools import AnyTool

IsTrusted: TypeAlias = Callable[[Path, str], bool]
"""Whether the code of a file with this digest may run."""

GROUP = "roo_code.tools"
_MARK = f"[{GROUP}]".encode()


def nobody_trusts(path: Path, digest: str) -> bool:
    return False


def everybody_trusts(path: Path, digest: str) -> bool:
    return True


def load_user_tools(
    folder: Path,
    is_trusted: IsTrusted,
    tell: Callable[[str], None],
    *,
    settings: Mapping[str, JsonValue] = MappingProxyType({}),
    workspace: Path | None = None,
) -> list[AnyTool]:
    """The tools of a folder's files, by the names of the files; of two with one name the last.

    Where the settings have commands run in a sandbox, the tools of a workspace do too.
    """
    if not folder.is_dir():
        return []
    from roo_code.builtin_tools.user_tool_files import load_folder  # noqa: PLC0415 - few have any

    held = confinement(settings, workspace=workspace)
    if workspace is None or not (held.confines or held.required):
        return load_folder(folder, is_trusted, tell)
    if not held.confines:
        tell(f"The tools in {folder} are left out. {held.told}")
        return []
    from roo_code.builtin_tools.confined_tools import confined_loader  # noqa: PLC0415

    return load_folder(folder, is_trusted, tell, confined_loader(settings, workspace))


class UserTools:
    """The user's own, installed ones and a project's, loaded once for each workspace."""

    def __init__(
        self,
        home: Path,
        tell: Callable[[str], None],
        *,
        is_trusted: IsTrusted = nobody_trusts,
        places: Sequence[str] | None = None,
    ) -> None:
        self._home = home
        self._tell = tell
        self._is_trusted = is_trusted
        self._places = sys.path if places is None else places
        self._everywhere: dict[str, list[AnyTool]] = {}
        self._of: dict[tuple[Path, str], list[AnyTool]] = {}

    def of(
        self, workspace: Path, settings: Mapping[str, JsonValue] = MappingProxyType({})
    ) -> list[AnyTool]:
        """A project's tool stands in for the user's own of the same name."""
        mode = sandbox_mode(settings)
        if (workspace, mode) not in self._of:
            load = partial(load_user_tools, tell=self._tell, settings=settings, workspace=workspace)
            if mode not in self._everywhere:
                mine = load(self._home / "tools", everybody_trusts)
                self._everywhere[mode] = [*self._installed, *mine]
            project = load(workspace / ".roo" / "tools", self._is_trusted)
            named = {tool.name: tool for tool in (*self._everywhere[mode], *project)}
            self._of[workspace, mode] = list(named.values())
        return self._of[workspace, mode]

    @cached_property
    def _installed(self) -> list[AnyTool]:
        if not any(_MARK in text for text in _entry_points(self._places)):
            return []
        from roo_code.builtin_tools.user_tool_files import load_installed  # noqa: PLC0415

        return load_installed(GROUP, self._places, self._tell)


def _entry_points(places: Sequence[str]) -> Iterator[bytes]:
    """What the packages there say they offer: ten times faster than `importlib.metadata`."""
    for place in places:
        try:
            with os.scandir(place) as entries:
                found = [entry.path for entry in entries if entry.name.endswith(".dist-info")]
        except OSError:
            continue
        for folder in found:
            try:
                with open(os.path.join(folder, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                    yield file.read()
            except OSError:
                continue
