"""Which tools are built in. Their code is loaded when they are first called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import NamedTuple

from roo_code.builtin_tools.error_recovery import ErrorRecovery
from roo_code.json_text import JsonValue, from_json
from roo_code.messages import ToolDefinition
from roo_code.tool_aliases import canonical_name
from roo_code.tools import AnyTool, ToolRegistry, UnloadedTool


class BuiltinTool(NamedTuple):
    name: str
    module: str
    """In this package."""
    type_name: str
    advertised: bool = True
    """False for other ways to do the same, told only to models whose facts ask for them."""
    experiment: str = ""
    """The switch among the setting `experiments` that has models told of it as well."""

    def load(self) -> AnyTool:
        module = import_module(f"roo_code.builtin_tools.{self.module}")
        return getattr(module, self.type_name)()


BUILTIN_TOOLS: tuple[BuiltinTool, ...] = (
    BuiltinTool("read_file", "read_file", "ReadFile"),
    BuiltinTool("search_files", "search_files", "SearchFiles"),
    BuiltinTool("list_files", "list_files", "ListFiles"),
    BuiltinTool("list_code_definition_names", "list_code_definitions", "ListCodeDefinitionNames"),
    BuiltinTool("fetch_instructions", "fetch_instructions", "FetchInstructions"),
    BuiltinTool("write_to_file", "write_file", "WriteToFile"),
    BuiltinTool("apply_diff", "apply_diff", "ApplyDiff"),
    BuiltinTool("insert_content", "insert_content", "InsertContent"),
    BuiltinTool("apply_patch", "apply_patch", "ApplyPatch", advertised=False),
    BuiltinTool("edit", "edit", "Edit", advertised=False),
    BuiltinTool("search_replace", "search_replace", "SearchReplace", advertised=False),
    BuiltinTool("edit_file", "edit_file", "EditFile", advertised=False),
    BuiltinTool("execute_command", "execute_command", "ExecuteCommand"),
    BuiltinTool("read_command_output", "read_command_output", "ReadCommandOutput"),
    BuiltinTool("background_command", "background_command", "BackgroundCommand"),
    BuiltinTool("browser_action", "browser", "BrowserAction"),
    BuiltinTool("web_fetch", "web_fetch", "WebFetch"),
    BuiltinTool("generate_image", "image_gen", "GenerateImage", False, "imageGeneration"),
    BuiltinTool("use_mcp_tool", "mcp", "UseMcpTool", advertised=False),
    BuiltinTool("access_mcp_resource", "mcp", "AccessMcpResource", advertised=False),
    BuiltinTool("ask_followup_question", "ask_question", "AskFollowupQuestion"),
    BuiltinTool("attempt_completion", "completion", "AttemptCompletion"),
    BuiltinTool("update_todo_list", "todo", "UpdateTodoList"),
    BuiltinTool("run_slash_command", "slash_commands", "RunSlashCommand"),
    BuiltinTool("skill", "skill", "UseSkill"),
)
"""In the order in which the model is told of them; `make definitions` after a change."""


def get_tool_by_name(name: str) -> AnyTool | None:
    """A new built-in tool of this name, or None if there is none."""
    return next((tool.load() for tool in BUILTIN_TOOLS if tool.name == name), None)


def experimental_tools(settings: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The names of those tools that the settings switch on by an experiment."""
    chosen = settings.get("experiments")
    switches = chosen if isinstance(chosen, Mapping) else {}
    return tuple(
        tool.name for tool in BUILTIN_TOOLS if tool.experiment and switches.get(tool.experiment)
    )


def create_registry(
    *extra: AnyTool, included: Iterable[str] = (), excluded: Iterable[str] = ()
) -> ToolRegistry:
    """The built-in tools and `extra`, which replaces a built-in of the same name.

    `included` and `excluded` are what a model's facts say of single tools. All of them can be
    called; they differ in what the model is told of.
    """
    included, excluded = set(map(canonical_name, included)), set(map(canonical_name, excluded))
    known = _definitions()
    unloaded = [
        UnloadedTool(known[tool.name], tool.load)
        for tool in BUILTIN_TOOLS
        if (tool.advertised or tool.name in included) and tool.name not in excluded
    ]
    return ToolRegistry(
        [*unloaded, *extra], recovery=ErrorRecovery(), load_builtin=get_tool_by_name
    )


@cache
def _definitions() -> dict[str, ToolDefinition]:
    """Made by `scripts/tool-definitions` from the tools themselves: see `definitions.json`."""
    text = files("roo_code.builtin_tools").joinpath("definitions.json").read_bytes()
    return {entry["name"]: ToolDefinition(**entry) for entry in from_json(text)}
