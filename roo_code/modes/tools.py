"""switch_mode and new_task: how the model changes its mode, or gives work to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from uuid import NAMESPACE_URL, uuid5

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.events import SubtaskStarted
from roo_code.json_text import JsonValue
from roo_code.modes.orchestrator import MOST_DEPTH, ModeOrchestrator
from roo_code.modes.task import Task
from roo_code.todo_list import checklist, read_todos
from roo_code.tools import Deferred, Tool, ToolContext


class SwitchModeInput(ToolInput):
    mode_slug: str = Field(
        min_length=1,
        validation_alias=AliasChoices("mode_slug", "mode", "slug", "modeSlug", "target_mode"),
        description="The slug of the mode, such as code.",
    )
    reason: str = Field(
        default="",
        validation_alias=AliasChoices("reason", "why"),
        description="Why, for the user to read.",
    )


class SwitchMode(Tool[SwitchModeInput]):
    name = "switch_mode"
    description = (
        "Go on in another mode, with its instructions and what it may do, from your next reply on. "
        "The user may have to approve. Other calls of the same reply must be allowed in both modes."
    )
    group = "modes"
    input_type = SwitchModeInput

    def __init__(self, orchestrator: ModeOrchestrator, task: Task) -> None:
        self._orchestrator = orchestrator
        self._task = task

    async def execute(self, arguments: SwitchModeInput, context: ToolContext) -> str:
        before, reason = self._task.mode_slug, arguments.reason.strip()
        mode = self._orchestrator.switch_mode(self._task, arguments.mode_slug, reason, context.emit)
        why = f" because: {reason}" if reason else "."
        return f"Switched from {before} to {mode.slug} mode{why}"


def _as_checklist(given: Any) -> str:
    return checklist(read_todos(given))


class NewTaskInput(ToolInput):
    mode: str = Field(
        min_length=1,
        validation_alias=AliasChoices("mode", "mode_slug", "slug", "modeSlug", "subagent_type"),
        description="The slug of the mode for it, such as code.",
    )
    message: str = Field(
        min_length=1,
        validation_alias=AliasChoices("message", "prompt", "task", "instructions"),
        description="All that the new task is told: what to do, and what it must know for it.",
    )
    todos: Annotated[str, BeforeValidator(_as_checklist)] = Field(
        default="", description="Its first steps as a Markdown checklist, if there is a plan."
    )


class NewTask(Tool[NewTaskInput]):
    name = "new_task"
    description = (
        "Give work to a new task, in a mode of its own and with nothing of this conversation but "
        "your message. You wait for it; its result is the answer to this call. Calls of this kind "
        "in one reply are done at the same time, so only if they do not touch the same files."
    )
    group = "modes"
    input_type = NewTaskInput
    repeatable = True  # the task is started from the log, under an id that is always the same

    def __init__(
        self,
        orchestrator: ModeOrchestrator,
        task: Task,
        provider_for: Callable[[str], dict[str, JsonValue]],
    ) -> None:
        self._orchestrator = orchestrator
        self._task = task
        self._provider_for = provider_for

    async def execute(self, arguments: NewTaskInput, context: ToolContext) -> str:
        if context.settings.get("newTaskRequireTodos") is True and not arguments.todos:
            raise ToolError(
                "todos is missing: here a new task needs its first steps as a checklist, such as "
                "'[ ] Read the tests\\n[ ] Fix the parser'."
            )
        message = arguments.message.replace("\\@", "@")
        if arguments.todos:
            message += f"\n\nBegin with this todo list:\n{arguments.todos}"
        depth = context.settings.get("maxSubtaskDepth")
        task = self._orchestrator.create_task(
            arguments.mode,
            message,
            self._task,
            id=str(uuid5(NAMESPACE_URL, f"roo-task:{self._task.id}:{context.tool_use_id}")),
            most_depth=int(depth) if isinstance(depth, int | float) else MOST_DEPTH,
        )
        raise Deferred(
            SubtaskStarted(
                tool_use_id=context.tool_use_id,
                subtask_id=task.id,
                prompt=message,
                mode=task.mode_slug,
                provider=self._provider_for(task.mode_slug),
            )
        )
