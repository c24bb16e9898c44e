"""The processes of one browser: found and ended whatever becomes of those who started them."""

from __future__ import annotations

import asyncio
import os

from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.child_marks import marked
from roo_code.workspace.process_list import in_group, living
from roo_code.workspace.processes import end_all
from roo_code.workspace.reaper import Reaper


class BrowserProcesses:
    """Chromium's first process carries a mark. Its children overwrite theirs, but are of its group.

    If we die, the reaper ends the marked ones and the group.
    """

    def __init__(self) -> None:
        self._reaper = Reaper.shared()
        self._mark = self._reaper.new_mark()
        self._groups: set[int] = set()

    @property
    def environment(self) -> dict[str, str | float | bool]:
        """What the browser is to be started with."""
        return {**marked(child_environment(), self._mark, "browser")}

    async def watch(self) -> None:
        """To be called once the browser runs."""
        await asyncio.to_thread(self._find)

    async def end(self) -> None:
        """Return when none is left."""
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        end_all(self._find)
        for group in self._groups:
            self._reaper.forget(group)

    def _find(self) -> set[int]:
        marked = living(self._mark)
        for pid in marked:
            self._note_group(pid)
        found = (living(self._mark, group) for group in self._groups)
        return marked.union(*found)

    def _note_group(self, pid: int) -> None:
        """Of the browser and of what it starts in sessions of their own; never ours."""
        if in_group(pid, os.getpgrp()):
            return
        try:
            group = os.getpgid(pid)
        except ProcessLookupError:
            return
        if group not in self._groups:
            self._groups.add(group)
            self._reaper.watch(group)
