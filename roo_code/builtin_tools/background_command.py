"""background_command: list, await or stop the commands that run in the background."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.command_report import report, summary
from roo_code.builtin_tools.command_run import CommandRun
from roo_code.builtin_tools.task_commands import TaskCommands
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.events import ToolOutput
from roo_code.tools import Tool, ToolContext, ToolOutcome

_NONE = "No command runs in the background."


class BackgroundCommandInput(ToolInput):
    action: Literal["list", "wait", "stop"] = Field(
        default="list", description="What to do; list needs nothing else."
    )
    artifact_id: str | None = Field(
        default=None,
        validation_alias=AliasChoices("artifact_id", "id", "name", "command_id"),
        description="Which command, by the name it was given, such as cmd-123.txt.",
    )
    timeout: float = Field(
        default=60,
        ge=0,
        validation_alias=AliasChoices("timeout", "timeout_seconds", "seconds"),
        description="Seconds to wait for its end. It goes on if they pass.",
    )


class BackgroundCommand(Tool[BackgroundCommandInput]):
    name = "background_command"
    description = (
        "List the commands that go on in the background, wait for one to end, or stop one with "
        "all it has started. Read what it has printed with read_command_output."
    )
    group = "command"
    input_type = BackgroundCommandInput
    needs_approval = False  # it starts nothing, and ends only what this task has started

    async def execute(self, arguments: BackgroundCommandInput, context: ToolContext) -> ToolOutcome:
        commands = TaskCommands.of(context)
        listed = "\n".join(summary(run, name) for name, run in commands) or _NONE
        if arguments.action == "list":
            return ToolOutcome(listed)
        name = arguments.artifact_id or _only_one(commands)
        if name is None or (run := commands.find(name)) is None:
            raise ToolError(f"Say which command with artifact_id: {name!r} is none.\n{listed}")
        if arguments.action == "stop":
            return await _stop(run, name)
        await run.watch(
            lambda text: context.emit(ToolOutput(tool_use_id=context.tool_use_id, text=text)),
            arguments.timeout,
        )
        return report(run, name)


async def _stop(run: CommandRun, name: str) -> ToolOutcome:
    if run.status is not None and not run.group.left_behind():
        return report(run, name)
    await run.stop()
    await run.ended.wait()
    return ToolOutcome(f"{name} was stopped, with all it had started.\n{report(run, name).content}")


def _only_one(commands: TaskCommands) -> str | None:
    """Which is meant where none is named, if it can only be one."""
    names = [name for name, run in commands if run.status is None]
    return names[0] if len(names) == 1 else None
