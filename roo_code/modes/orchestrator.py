"""ModeOrchestrator: which modes there are, what each may do, and the tasks that are in them."""

from __future__ import annotations

from collections.abc import Callable

from roo_code.config.mode import Mode
from roo_code.errors import ToolError
from roo_code.events import Event, ModeSwitched
from roo_code.messages import ToolUseContent
from roo_code.modes.access import check_call
from roo_code.modes.collection import Modes
from roo_code.modes.task import Task
from roo_code.tools import AnyTool
from roo_code.workspace.workspace import Workspace

MOST_DEPTH = 5
"""Tasks may stand so deep below the first, unless the setting `maxSubtaskDepth` says otherwise."""


class ModeOrchestrator:
    def __init__(self, modes: Modes) -> None:
        self.modes = modes
        self.tasks: dict[str, Task] = {}
        """By id, those that were made here."""

    def mode_of(self, task: Task) -> Mode:
        """The mode in force: of a task whose own is gone, one that may change nothing."""
        return self.modes.in_force(task.mode_slug)

    def check(self, task: Task, tool: AnyTool, call: ToolUseContent, workspace: Workspace) -> None:
        """Raise NotAllowed, or FileRestrictionError, if the task's mode does not let it run."""
        check_call(self.mode_of(task), tool, call, workspace)

    def switch_mode(
        self, task: Task, slug: str, reason: str = "", record: Callable[[Event], None] | None = None
    ) -> Mode:
        """Go on in another mode; `record` puts it into the log, by default the task's history."""
        mode = self.find(slug)
        if mode.slug == task.mode_slug:
            raise ToolError(f"The task is already in {mode.slug} mode.")
        switched = ModeSwitched(mode=mode.slug, previous=task.mode_slug, reason=reason)
        (record or task.history.apply)(switched)
        return mode

    def create_task(
        self,
        mode_slug: str,
        initial_message: str = "",
        parent_task: Task | None = None,
        *,
        id: str = "",
        most_depth: int = MOST_DEPTH,
    ) -> Task:
        """A task, perhaps a subtask; one whose id was fixed before is made once."""
        mode = self.find(mode_slug)
        if id in self.tasks:
            return self.tasks[id]
        if parent_task is not None and parent_task.depth >= most_depth:
            raise ToolError(
                f"This task stands {parent_task.depth} deep below the first, and no deeper one may "
                "be started. Do the work here, or end with what you have and let the task above go "
                "on from it."
            )
        task = Task(mode.slug, initial_message, id=id, parent=parent_task)
        self.tasks[task.id] = task
        return task

    def find(self, slug: str) -> Mode:
        """The mode, or an error that lists those there are."""
        if (mode := self.modes.get(slug.strip())) is not None:
            return mode
        listed = "\n".join(f"- {known.slug}: {known.description}" for known in self.modes.all)
        raise ToolError(f"There is no mode {slug!r}. These exist:\n{listed}")
