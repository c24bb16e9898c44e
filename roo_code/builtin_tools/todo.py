"""update_todo_list: the model's plan of the task, for the user to follow."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.todo_list import TODO_KEYS, TODO_TOOL, TodoItem, checklist, read_todos
from roo_code.tools import Tool, ToolContext


def _as_checklist(given: Any) -> str:
    return checklist(read_todos(given))


class UpdateTodoListInput(ToolInput):
    todos: Annotated[str, BeforeValidator(_as_checklist)] = Field(
        validation_alias=AliasChoices(*TODO_KEYS),
        description=(
            "The whole list as a Markdown checklist, one item to a line: `[ ] text` is pending, "
            "`[-] text` in progress, `[x] text` completed."
        ),
    )


class UpdateTodoList(Tool[UpdateTodoListInput]):
    name = TODO_TOOL
    description = (
        "Keep a list of the steps of the task, which the user sees. It replaces the list you gave "
        "before. Use it for work of several steps: set it at the start, have one item in progress "
        "at a time, mark an item as completed as soon as it is, and add what turns up. A task of "
        "one step needs none."
    )
    group = "modes"
    input_type = UpdateTodoListInput
    repeatable = True  # the list is in the call itself
    needs_approval = False

    async def execute(self, arguments: UpdateTodoListInput, context: ToolContext) -> str:
        return _summary(read_todos(arguments.todos))


def _summary(items: tuple[TodoItem, ...]) -> str:
    if not items:
        return "The todo list is empty now."
    count = Counter(item.status for item in items)
    return (
        f"The todo list is updated: {count['completed']} completed, "
        f"{count['in_progress']} in progress, {count['pending']} pending."
    )
