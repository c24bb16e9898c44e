"""A tool call as Roo's front ends are asked about it. A new tool of Roo's is a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from roo_code.events import QuestionAsked, ReachedLimit
from roo_code.ipc.cline_message import Ask, Say, ToolName
from roo_code.json_text import to_json
from roo_code.messages import ToolUseContent
from roo_code.tool_aliases import TOOL_ALIASES, canonical_name

_TOOLS = frozenset(TOOL_ALIASES.values())
_COUNTED = frozenset(ToolName.__args__)  # type: ignore[attr-defined]
DIFF_TOOLS = frozenset({"apply_diff", "apply_patch", "edit", "search_replace", "edit_file"})


class Shown(NamedTuple):
    """Either an ask or a say."""

    ask: Ask | None
    say: Say | None
    text: str


class _RooTool(NamedTuple):
    name: str
    fields: Mapping[str, str]
    """Roo's field to that of the call's input."""


_PATH = {"path": "path"}
_EDIT = {"path": "file_path", "search": "old_string", "content": "new_string"}
ROO_TOOLS: Mapping[str, _RooTool] = {
    "read_file": _RooTool("readFile", {**_PATH, "startLine": "offset"}),
    "search_files": _RooTool(
        "searchFiles", {**_PATH, "regex": "regex", "filePattern": "file_pattern"}
    ),
    "list_files": _RooTool("listFilesTopLevel", _PATH),
    "codebase_search": _RooTool("codebaseSearch", {"query": "query", **_PATH}),
    "write_to_file": _RooTool("newFileCreated", {**_PATH, "content": "content"}),
    "apply_diff": _RooTool("appliedDiff", {**_PATH, "diff": "diff"}),
    "apply_patch": _RooTool("appliedDiff", {"diff": "patch"}),
    "insert_content": _RooTool(
        "editedExistingFile", {**_PATH, "content": "content", "lineNumber": "line"}
    ),
    "edit": _RooTool("editedExistingFile", _EDIT),
    "search_replace": _RooTool("editedExistingFile", _EDIT),
    "edit_file": _RooTool("editedExistingFile", _EDIT),
    "read_command_output": _RooTool(
        "readCommandOutput", {"path": "artifact_id", "searchPattern": "search"}
    ),
    "switch_mode": _RooTool("switchMode", {"mode": "mode_slug", "reason": "reason"}),
    "new_task": _RooTool("newTask", {"mode": "mode", "content": "message"}),
    "update_todo_list": _RooTool("updateTodoList", {"todos": "todos"}),
    "run_slash_command": _RooTool("runSlashCommand", {"command": "command", "args": "args"}),
    "skill": _RooTool("skill", {"skill": "skill", "args": "args"}),
    "generate_image": _RooTool("generateImage", {**_PATH, "content": "prompt"}),
}


def tool_of(call: ToolUseContent) -> str:
    """The tool's own name, whatever the model called it."""
    name = canonical_name(call.name)
    return name if name in _TOOLS else call.name


def counted_as(tool: str) -> ToolName:
    """One of the names that Roo's figures know."""
    if tool in _COUNTED:
        return cast(ToolName, tool)
    return "use_mcp_tool" if tool.startswith("mcp--") else "custom_tool"


def shown_call(call: ToolUseContent) -> Shown:
    """Also of a call whose input is still being written."""
    tool = tool_of(call)
    input = call.input
    match tool:
        case "execute_command":
            return Shown("command", None, _text(input.get("command")))
        case "attempt_completion":
            return Shown(None, "completion_result", _text(input.get("result")))
        case "ask_followup_question":
            return Shown("followup", None, _json({"question": _text(input.get("question"))}))
        case "use_mcp_tool" | "access_mcp_resource":
            return Shown("use_mcp_server", None, _json(_server_call(tool, input)))
        case _ if tool.startswith("mcp--"):
            return Shown("use_mcp_server", None, _json(_named_call(tool, input)))
        case _:
            return Shown("tool", None, _json(_roo_tool(tool, input)))


def shown_question(asked: QuestionAsked) -> str:
    suggest = [
        {"answer": suggestion.text, **({"mode": suggestion.mode} if suggestion.mode else {})}
        for suggestion in asked.suggestions
    ]
    return _json({"question": asked.question, "suggest": suggest})


def shown_limit(limit: ReachedLimit) -> str:
    return _json({"count": limit.count, "type": limit.kind})


def _roo_tool(tool: str, input: Mapping[str, Any]) -> dict[str, Any]:
    if (roo := ROO_TOOLS.get(tool)) is None:  # ours, or the user's own
        return {"tool": tool, "content": _json(dict(input))}
    name = roo.name
    if tool == "list_files" and input.get("recursive") is True:
        name = "listFilesRecursive"
    told = {theirs: input[ours] for theirs, ours in roo.fields.items() if ours in input}
    return {"tool": name, **{key: value for key, value in told.items() if value is not None}}


def _server_call(tool: str, input: Mapping[str, Any]) -> dict[str, Any]:
    told = {"serverName": _text(input.get("server_name")), "type": tool}
    if tool == "access_mcp_resource":
        return {**told, "uri": _text(input.get("uri"))}
    arguments = input.get("arguments")
    written = arguments if isinstance(arguments, str) else _json(arguments or {})
    return {**told, "toolName": _text(input.get("tool_name")), "arguments": written}


def _named_call(tool: str, input: Mapping[str, Any]) -> dict[str, Any]:
    _, server, name = (*tool.split("--", 2), "", "")[:3]
    call = {"server_name": server, "tool_name": name, "arguments": dict(input)}
    return _server_call("use_mcp_tool", call)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _json(value: object) -> str:
    return to_json(value).decode()
