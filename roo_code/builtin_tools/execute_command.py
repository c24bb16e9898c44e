"""execute_command: run a shell command in the workspace."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools import command_report
from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.builtin_tools.command_run import CommandRun
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.events import ToolOutput
from roo_code.json_text import JsonValue
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.processes import ProcessGroup

_TICK = 0.1
_PREVIEWS = {"small": 5 * 1024, "medium": 10 * 1024, "large": 20 * 1024}
_SHELLS = {"bash", "zsh", "sh", "dash", "ksh"}

Ending: TypeAlias = Literal["ended", "left", "killed"]


def _one_line(value: Any) -> Any:
    """A list of arguments, as some agents' shell tools take it, as the line that means the same."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value
    words = [str(word) for word in cast(Sequence[Any], value)]
    if len(words) == 3 and PurePath(words[0]).name in _SHELLS and words[1] in {"-c", "-lc"}:
        return words[2]
    return shlex.join(words)


class ExecuteCommandInput(ToolInput):
    command: Annotated[str, BeforeValidator(_one_line)] = Field(
        min_length=1,
        validation_alias=AliasChoices("command", "cmd", "commandLine", "CommandLine", "script"),
        description="The command, as a line for the shell.",
    )
    cwd: str | None = Field(
        default=None,
        validation_alias=AliasChoices("cwd", "workdir", "working_directory", "directory", "Cwd"),
        description="The folder to run it in, relative to the workspace, which is the default.",
    )
    timeout: float | None = Field(
        default=None,
        gt=0,
        validation_alias=AliasChoices("timeout", "timeout_seconds"),
        description="Seconds to wait. Then the command goes on in the background and you get "
        "what it has printed so far; give one for servers and watchers.",
    )


class ExecuteCommand(Tool[ExecuteCommandInput]):
    name = "execute_command"
    description = (
        "Run a command in the user's shell and get its output and exit code. It cannot be typed "
        "into: pass flags that keep it from asking. Long output comes as its beginning and end, "
        "with a file that holds all of it."
    )
    group = "command"
    input_type = ExecuteCommandInput

    def paths(self, arguments: ExecuteCommandInput) -> tuple[str, ...]:
        return (arguments.cwd,) if arguments.cwd else ()

    async def execute(self, arguments: ExecuteCommandInput, context: ToolContext) -> ToolOutcome:
        folder = _working_folder(arguments.cwd, context)
        limit = _user_limit(arguments.command, context.settings)
        run = _start(arguments.command, folder, context)
        ending: Ending | None = None
        try:
            ending = await _follow(run, context, arguments.timeout, limit)
        finally:
            if ending is None or ending == "killed":
                await run.stop()
        output = run.output
        if ending == "killed":
            text = command_report.timed_out(folder, limit or 0, output)
            return ToolOutcome(text, is_error=True)
        if ending == "left":
            run.leave(lambda status: f"\n[{command_report.status_line(status)}]\n")
        if run.status is None:
            seconds = arguments.timeout or 0
            return ToolOutcome(command_report.still_running(folder, run.group.id, seconds, output))
        text = command_report.finished(folder, run.status, output)
        if pids := run.group.left_behind():
            text += f"\n(Still running in the background: {', '.join(map(str, sorted(pids)))}.)"
        return ToolOutcome(text)


async def _follow(
    run: CommandRun, context: ToolContext, patience: float | None, limit: float | None
) -> Ending:
    """Show the output as it comes until the command ends or a time is up."""
    started = time.monotonic()
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(run.ended.wait(), _TICK)
        if text := run.output.take_live():
            context.emit(ToolOutput(tool_use_id=context.tool_use_id, text=text))
        elapsed = time.monotonic() - started
        if run.ended.is_set():
            return "ended"
        if limit is not None and elapsed >= limit:
            return "killed"
        if patience is not None and elapsed >= patience:
            return "left"


def _start(command: str, folder: Path, context: ToolContext) -> CommandRun:
    if "\0" in command:
        raise ToolError("The command holds a NUL character, which no shell accepts.")
    argv = [_shell(context.settings), "-c", command]
    place = None
    if artifacts := context.artifacts:
        place = partial(artifacts.path, f"cmd-{time.time_ns()}.txt")
    preview = _PREVIEWS.get(str(context.settings.get("terminalOutputPreviewSize")), 10 * 1024)
    try:
        group = ProcessGroup(argv, cwd=folder, environment=_environment())
    except (OSError, UnicodeEncodeError) as error:
        raise ToolError(f"The command could not be started: {error}") from error
    return CommandRun(group, CommandOutput(place, preview=preview))


def _working_folder(cwd: str | None, context: ToolContext) -> Path:
    folder = context.workspace.resolve(cwd or ".")
    if not folder.exists():
        raise ToolError(f"Working directory '{cwd or folder}' does not exist.")
    if not folder.is_dir():
        raise ToolError(f"Working directory '{cwd}' is not a folder.")
    return folder


def _user_limit(command: str, settings: Mapping[str, JsonValue]) -> float | None:
    """Seconds after which the user wants any command killed that the user did not except."""
    limit = settings.get("commandExecutionTimeout")
    excepted = settings.get("commandTimeoutAllowlist")
    if not isinstance(limit, int | float) or limit <= 0:
        return None
    words = command.split()
    for entry in excepted if isinstance(excepted, list) else ():
        prefix = str(entry).split()
        if prefix and words[: len(prefix)] == prefix:
            return None
    return float(limit)


def _shell(settings: Mapping[str, JsonValue]) -> str:
    """The user's shell if it understands what models write, else bash, else sh."""
    chosen = settings.get("execaShellPath")
    if isinstance(chosen, str) and chosen:
        return chosen
    users = os.environ.get("SHELL", "")
    candidates = [users] if PurePath(users).name in {"bash", "zsh"} else []
    candidates += ["/bin/bash", "/usr/bin/bash"]
    return next((shell for shell in candidates if os.access(shell, os.X_OK)), "/bin/sh")


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    if not any(environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        environment["LANG"] = "C.UTF-8"
    # No pager could be answered, and nothing draws colours.
    return environment | {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "ROO_ACTIVE": "true"}
