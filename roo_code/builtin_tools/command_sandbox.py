"""The sandbox of one task's commands, opened with the first of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from roo_code.errors import ConfigError, ToolError
from roo_code.json_text import JsonValue
from roo_code.sandbox.confinement import Confinement, confinement, sandbox_mode
from roo_code.sandbox.planted_files import PlantedFiles
from roo_code.sandbox.sandbox import ConfinedCommand, Sandbox
from roo_code.tools import ToolContext
from roo_code.workspace.uncut import uncut

__all__ = ["CommandSandbox", "Confinement", "confinement"]


class CommandSandbox:
    """One per task, kept in its resources: all it runs shares the limits that hold together."""

    def __init__(self, settings: Mapping[str, JsonValue], workspace: Path) -> None:
        self._settings = settings
        self._workspace = workspace
        self._opening = asyncio.Lock()
        self._sandbox: Sandbox | None = None
        self._told: set[str] = set()
        self._planted: PlantedFiles | None = None

    @classmethod
    def of(cls, context: ToolContext) -> CommandSandbox:
        make = partial(cls, context.settings, context.workspace.root)
        return context.resources.get(cls, make)

    @property
    def is_wanted(self) -> bool:
        """Whether all commands are to run in it."""
        return sandbox_mode(self._settings) in {"auto", "required"}

    async def wrap(
        self,
        argv: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        *,
        confined: bool = False,
    ) -> ConfinedCommand:
        """What to start instead; it must be started by a thread that outlives it.

        What must be confined is not started where there is no sandbox, whatever the settings say.
        """
        if not (self.is_wanted or confined):
            return ConfinedCommand(tuple(argv), dict(environment))
        try:
            async with self._opening:
                if self._sandbox is None:
                    await uncut(asyncio.to_thread(self._open))
            assert self._sandbox is not None
            if confined and not self._sandbox.confines:
                raise ConfigError(
                    "This call was let through because it was to run in one.",
                    hint="Call it again to have it decided anew.",
                )
            return self._sandbox.wrap(argv, cwd=cwd, environment=environment)
        except (ConfigError, OSError) as error:
            hint = error.hint if isinstance(error, ConfigError) else ""
            raise ToolError(f"The sandbox cannot be used: {error} {hint}".rstrip()) from error

    def take_warnings(self) -> tuple[str, ...]:
        """What the user should know of it: once for a task."""
        known = self._sandbox.warnings if self._sandbox is not None else ()
        planted = self._planted.put_aside() if self._planted is not None else ()
        untold = tuple(warning for warning in (*known, *planted) if warning not in self._told)
        self._told.update(untold)
        return untold

    async def aclose(self) -> None:
        opened, self._sandbox = self._sandbox, None
        if opened is not None:
            await uncut(asyncio.to_thread(opened.close))
        if self._planted is not None:
            self._planted.put_aside()

    def _open(self) -> None:
        from roo_code.sandbox.chosen_sandbox import open_chosen_sandbox  # noqa: PLC0415 - few tasks have one

        mode = sandbox_mode(self._settings) if self.is_wanted else "unasked"
        settings = {**self._settings, "sandbox": mode}
        self._sandbox = open_chosen_sandbox(settings, self._workspace)
        self._planted = PlantedFiles(self._workspace)
