"""run_slash_command: a prompt that a user or a project keeps under a name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.instruction_file import read_instructions, titled
from roo_code.builtin_tools.project_trust import check_command
from roo_code.builtin_tools.skill import known, skill_text, skills_of
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.config.paths import roo_home
from roo_code.config.slash_commands import SlashCommand, list_commands, read_command
from roo_code.errors import ToolError
from roo_code.mcp_client.names import PREFIX
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.workspace import Workspace


class RunSlashCommandInput(ToolInput):
    command: str = Field(
        min_length=1,
        validation_alias=AliasChoices("command", "name", "command_name", "slash_command"),
        description="The command's name, with or without the slash.",
    )
    args: str = Field(
        default="",
        validation_alias=AliasChoices("args", "arguments", "argument", "input"),
        description="What the command is to be applied to, if it wants to be told.",
    )


class RunSlashCommand(Tool[RunSlashCommandInput]):
    name = "run_slash_command"
    description = (
        "Get the instructions of a slash command, a prompt that the user or the project keeps "
        "under a name, and then follow them. A name that does not exist is answered with the list "
        "of those that do."
    )
    group = "advanced"
    input_type = RunSlashCommandInput
    repeatable = True

    def server(self, arguments: RunSlashCommandInput) -> tuple[str, str]:
        """A server's prompt is told the words after its name."""
        name = _name(arguments)
        return (name, "") if name.startswith(PREFIX) else ("", "")

    async def execute(self, arguments: RunSlashCommandInput, context: ToolContext) -> str:
        if context.mcp is not None:
            prompt = await context.mcp.get_prompt(_name(arguments), arguments.args)
            if prompt is not None:
                return prompt
        return await asyncio.to_thread(_read, arguments, context)


def _name(arguments: RunSlashCommandInput) -> str:
    return arguments.command.strip().lstrip("/")


def _read(arguments: RunSlashCommandInput, context: ToolContext) -> str:
    name = _name(arguments)
    commands = commands_of(context.workspace)
    if name in commands:
        return _show(command_now(commands[name], context.workspace), arguments.args)
    skills = skills_of(context)
    if name in skills:
        return skill_text(skills[name], arguments.args, context)
    told = [f"There is no command /{name}.", _known(commands)]
    raise ToolError("\n".join([*told, known("skills", skills)] if skills else told))


def commands_of(workspace: Workspace) -> dict[str, SlashCommand]:
    found, _ = list_commands(workspace.root, roo_home())
    return {command.name: command for command in found}


def command_now(command: SlashCommand, workspace: Workspace) -> SlashCommand:
    """As its file has it now, or ToolError if it is one that the model may not be shown."""
    source: Literal["project", "global"] = command.source
    text = read_instructions(command.path, source, workspace)
    if source == "project":
        check_command(workspace.root, command.path, text)
    return read_command(command.path, text, source)


def _show(command: SlashCommand, arguments: str) -> str:
    facts = {
        "Command": f"/{command.name}",
        "Description": command.description,
        "Argument hint": command.argument_hint,
        "Mode": command.mode,
        "Provided arguments": arguments,
        "Source": command.source,
    }
    return titled(facts, "Command Content", command.content)


def _known(commands: Mapping[str, SlashCommand]) -> str:
    if not commands:
        return "There are no commands here: they are Markdown files in .roo/commands."
    listed = "\n".join(
        f"- /{command.name}: {command.description}".removesuffix(": ")
        for command in commands.values()
    )
    return f"These commands exist:\n{listed}"
