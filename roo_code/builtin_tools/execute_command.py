"""execute_command: run a shell command in the workspace."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, cast

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.command_report import report
from roo_code.builtin_tools.command_sandbox import CommandSandbox
from roo_code.builtin_tools.ignored_commands import refuse_reading_ignored
from roo_code.builtin_tools.task_commands import TaskCommands
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.events import ToolOutput
from roo_code.tools import Tool, ToolContext, ToolOutcome

_WHY_CONFINED = (
    "it runs the project's code and nobody was asked, so it has no network, not even ports that "
    "others could reach, an empty home, and only the workspace to write. If it needs more, call it "
    "again alone and with requires_approval: true: the user is asked to let it run outside."
)
_SHELLS = {"bash", "zsh", "sh", "dash", "ksh"}


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
    terminal: bool | None = Field(
        default=None,
        validation_alias=AliasChoices("terminal", "tty", "pty"),
        description="True for a program that wants a terminal. Nobody can type into it.",
    )


class ExecuteCommand(Tool[ExecuteCommandInput]):
    name = "execute_command"
    description = (
        "Run a command in the user's shell and get its output and exit code. It cannot be typed "
        "into: pass flags that keep it from asking. Long output comes as its beginning and end; "
        "read_command_output has all of it."
    )
    group = "command"
    in_sandbox = True
    input_type = ExecuteCommandInput

    def paths(self, arguments: ExecuteCommandInput) -> tuple[str, ...]:
        return (arguments.cwd,) if arguments.cwd else ()

    async def execute(self, arguments: ExecuteCommandInput, context: ToolContext) -> ToolOutcome:
        if "\0" in arguments.command:
            raise ToolError("The command holds a NUL character, which no shell accepts.")
        folder = _working_folder(arguments.cwd, context)
        refuse_reading_ignored(arguments.command, folder, context.workspace)
        commands, sandbox = TaskCommands.of(context), CommandSandbox.of(context)
        name, run = await commands.start(
            arguments.command, folder, context, terminal=arguments.terminal
        )
        watched = False
        try:
            await run.watch(
                lambda text: context.emit(ToolOutput(tool_use_id=context.tool_use_id, text=text)),
                arguments.timeout,
            )
            if run.status is not None and (sandbox.is_wanted or context.confined):
                await run.settle()
            watched = True
        finally:
            if not watched:
                await run.stop()
        if run.status is None or run.group.left_behind():
            commands.leave(name, run)
        warnings = sandbox.take_warnings()
        if context.confined and not sandbox.is_wanted and run.status != 0:
            warnings = (*warnings, _WHY_CONFINED)
        return _with_warnings(report(run, name), warnings)


def _with_warnings(outcome: ToolOutcome, warnings: Sequence[str]) -> ToolOutcome:
    told = "".join(f"\n(Sandbox: {warning})" for warning in warnings)
    return outcome._replace(content=outcome.content + told)


def _working_folder(cwd: str | None, context: ToolContext) -> Path:
    folder = context.workspace.resolve(cwd or ".")
    if not folder.exists():
        raise ToolError(f"Working directory '{cwd or folder}' does not exist.")
    if not folder.is_dir():
        raise ToolError(f"Working directory '{cwd}' is not a folder.")
    return folder
