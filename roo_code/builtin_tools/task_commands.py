"""The commands of one task: those in the background, and all that any of them left behind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from roo_code.builtin_tools import command_settings
from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.builtin_tools.command_run import CommandRun
from roo_code.builtin_tools.command_sandbox import CommandSandbox
from roo_code.errors import ToolError
from roo_code.tools import ToolContext
from roo_code.workspace.process_list import living
from roo_code.workspace.processes import ProcessGroup, end_all
from roo_code.workspace.reaper import Reaper
from roo_code.workspace.uncut import uncut


class TaskCommands:
    """One per task, kept in its resources. What is started here ends with it."""

    def __init__(self) -> None:
        self._mark = Reaper.shared().new_mark()
        self._left: dict[str, CommandRun] = {}

    @classmethod
    def of(cls, context: ToolContext) -> TaskCommands:
        CommandSandbox.of(context)  # the earlier is closed later: it holds while commands end
        return context.resources.get(cls, cls)

    async def start(
        self, command: str, folder: Path, context: ToolContext, *, terminal: bool | None
    ) -> tuple[str, CommandRun]:
        """Start a command; its name is that of its artifact, if it comes to have one."""
        name = f"cmd-{time.time_ns()}.txt"
        settings = context.settings
        place = partial(context.artifacts.path, name) if context.artifacts else None
        size = command_settings.terminal_size(wanted=terminal, settings=settings)
        argv, environment = await CommandSandbox.of(context).wrap(
            [command_settings.shell(settings), "-c", command],
            folder,
            command_settings.environment(terminal=size is not None, settings=settings),
            confined=context.confined,
        )
        try:
            group = ProcessGroup(
                argv,
                cwd=folder,
                environment=environment,
                within=self._mark,
                terminal=size,
            )
        except (OSError, UnicodeEncodeError) as error:
            raise ToolError(f"The command could not be started: {error}") from error
        preview = command_settings.preview_size(settings)
        output = CommandOutput(place, preview=preview, hide=context.hide)
        limit = command_settings.user_limit(command, settings)
        return name, CommandRun(group, output, command=command, folder=folder, limit=limit)

    def leave(self, name: str, run: CommandRun) -> None:
        """Let a command, or what it has left behind, go on in the background."""
        run.leave()
        self._left[name] = run

    def find(self, name: str) -> CommandRun | None:
        return self._left.get(name)

    def __iter__(self) -> Iterator[tuple[str, CommandRun]]:
        """Those in the background, by name; the ended ones among them too."""
        return iter(tuple(self._left.items()))

    async def aclose(self) -> None:
        """End them all, and whatever any command of the task has left behind anywhere."""
        runs: Sequence[CommandRun] = tuple(self._left.values())
        self._left.clear()
        await uncut(self._end(runs))

    async def _end(self, runs: Sequence[CommandRun]) -> None:
        await asyncio.gather(*(run.stop() for run in runs))
        # Not beside it: who is asked twice to end may not do so in order.
        await asyncio.to_thread(end_all, partial(living, self._mark))
