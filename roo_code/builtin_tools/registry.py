"""Which tools are built in."""

from __future__ import annotations

from roo_code.builtin_tools.ask_question import AskFollowupQuestion
from roo_code.builtin_tools.completion import AttemptCompletion
from roo_code.builtin_tools.error_recovery import ErrorRecovery
from roo_code.builtin_tools.execute_command import ExecuteCommand
from roo_code.builtin_tools.read_file import ReadFile
from roo_code.builtin_tools.write_file import WriteToFile
from roo_code.tools import AnyTool, ToolRegistry

BUILTIN_TOOLS: tuple[type[AnyTool], ...] = (
    ReadFile,
    WriteToFile,
    ExecuteCommand,
    AskFollowupQuestion,
    AttemptCompletion,
)


def get_tool_by_name(name: str) -> AnyTool | None:
    """A new built-in tool of this name, or None if there is none."""
    return next((tool() for tool in BUILTIN_TOOLS if tool.name == name), None)


def create_registry(*extra: AnyTool) -> ToolRegistry:
    """The built-in tools and `extra`, which replaces a built-in of the same name."""
    tools = [tool() for tool in BUILTIN_TOOLS]
    return ToolRegistry([*tools, *extra], recovery=ErrorRecovery(), load_builtin=get_tool_by_name)
