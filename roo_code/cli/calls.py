"""A tool call in a few words."""

from __future__ import annotations

import json
import re

from roo_code.messages import ToolResult, ToolUseContent
from roo_code.todo_list import TODO_TOOL
from roo_code.tool_aliases import TOOL_ALIASES, canonical_name

_TELLING = (
    "command", "path", "file_path", "pattern", "regex", "query", "url", "tool_name", "uri",
    "mode_slug", "mode", "message", "question",
)  # fmt: skip
"""Inputs that say what a call is about, the most telling first."""
_TOOLS = frozenset(TOOL_ALIASES.values())
_EXIT_CODE = re.compile(r"^(?:.*\bE|E)xit code: (-?\d+)", re.MULTILINE)
_OUTPUT = re.compile(r"^(?:Output|Preview|Output so far|Output until then):\n", re.MULTILINE)


def tool_name(call: ToolUseContent) -> str:
    """The tool's own name, whatever the model called it."""
    name = canonical_name(call.name)
    return name if name in _TOOLS else call.name


def speaks_to_user(call: ToolUseContent) -> bool:
    """True where what the call says is shown as such, not as a tool at work."""
    return tool_name(call) in ("attempt_completion", "ask_followup_question")


def is_told_otherwise(call: ToolUseContent) -> bool:
    """True where a person sees what the call does by another event: a question, a mode, a task."""
    return speaks_to_user(call) or tool_name(call) in ("switch_mode", "new_task")


def describe(call: ToolUseContent) -> str:
    """Such as `read_file calc.py`."""
    if tool_name(call) == TODO_TOOL:
        return TODO_TOOL  # the list itself is shown
    for key in _TELLING:
        if isinstance(value := call.input.get(key), str) and value:
            return f"{tool_name(call)} {value}"
    if not call.input:
        return tool_name(call)
    return f"{tool_name(call)} {json.dumps(call.input, ensure_ascii=False)}"


def exit_code(result: ToolResult) -> int | None:
    """Of a command, as its result tells it ahead of the output."""
    found = _EXIT_CODE.search(_OUTPUT.split(result.content, maxsplit=1)[0])
    return int(found[1]) if found else None


def command_output(result: ToolResult) -> str:
    """What the command printed, without what is said about it."""
    return _OUTPUT.split(result.content, maxsplit=1)[-1]


def outcome(call: ToolUseContent, result: ToolResult) -> str:
    """What came of a call, in a few words."""
    if tool_name(call) == "execute_command" and (code := exit_code(result)) is not None:
        return f"exit code {code}"
    lines = result.content.splitlines() or [""]
    if result.is_error or len(lines) == 1 or tool_name(call) == "execute_command":
        return _operation(lines[0]) or lines[0]
    count = len(lines) - lines[0].startswith("File: ")
    return f"{count} lines" if count > 1 else "1 line"


def _operation(text: str) -> str:
    """Of an edit, whose result is JSON for the model to read."""
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    operation = value.get("operation") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return operation if isinstance(operation, str) else ""
