"""attempt_completion: the model says that the task is done."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.todo_list import checklist
from roo_code.tools import Tool, ToolContext


class AttemptCompletionInput(ToolInput):
    result: str = Field(
        validation_alias=AliasChoices(
            "result", "summary", "answer", "message", "response", "final_answer", "output", "text"
        ),
        description="What was done and what came of it, complete in itself.",
    )


class AttemptCompletion(Tool[AttemptCompletionInput]):
    name = "attempt_completion"
    description = (
        "Finish the task and give the user its result. Call it alone, once the results of all "
        "other calls show that the work is done. Do not end the result with a question or an "
        "offer."
    )
    group = "modes"
    input_type = AttemptCompletionInput
    ends_run = True
    repeatable = True  # saying it again after a crash does no harm
    needs_approval = False

    async def execute(self, arguments: AttemptCompletionInput, context: ToolContext) -> str:
        if context.failed_calls:
            names = ", ".join(context.failed_calls)
            raise ToolError(
                f"Not completed: in the same reply these calls failed: {names}. Look at their "
                "errors first, then complete the task in a later reply."
            )
        still_open = [item for item in context.todos if item.status != "completed"]
        if still_open and context.settings.get("preventCompletionWithOpenTodos") is True:
            raise ToolError(
                f"Not completed: the todo list has open items:\n{checklist(still_open)}\n"
                "Do them, or update the list with update_todo_list if they are done or no longer "
                "needed; then complete the task."
            )
        return arguments.result
