"""WorkflowRunner: a workflow in this process, with a checkpoint file and no store.

`roo workflow run` does the same with tasks that are stored; both go by `course.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from roo_code.client import RooClient
from roo_code.errors import RooCodeError, WorkflowFailed
from roo_code.messages import ToolUseContent
from roo_code.modes.agent import ModeAgent
from roo_code.modes.task import Task, TaskState
from roo_code.tools import ToolContext
from roo_code.workflows.checkpoint import restore, save_checkpoint
from roo_code.workflows.course import GATE, Outcome, read_course
from roo_code.workflows.state import PhaseSpec, WorkflowState
from roo_code.workspace.workspace import Workspace


class WorkflowRunner:
    """Subclass and name the phases in `phases`, or give them."""

    phases: Sequence[PhaseSpec] = ()

    def __init__(
        self,
        client: RooClient,
        phases: Sequence[PhaseSpec] = (),
        *,
        project_root: Path,
        checkpoint_file: Path | None = None,
        approve: Callable[[str], Awaitable[bool]] | None = None,
        on_progress: Callable[[WorkflowState], None] = lambda state: None,
        context: ToolContext | None = None,
    ) -> None:
        self.agent = ModeAgent(
            client,
            mode_slug="orchestrator",
            context=context or ToolContext(workspace=Workspace(project_root)),
            max_iterations=None,
        )
        self._approve = approve
        """Asks a person whether a phase with a gate may begin."""
        self._on_progress = on_progress
        begun = WorkflowState(phases=tuple(phases or self.phases), checkpoint_file=checkpoint_file)
        self.state = restore(begun)

    @property
    def task(self) -> Task:
        """The orchestrator's task, of which every subtask is a child."""
        return self.agent.task

    async def run(self) -> WorkflowState:
        """To the end, or a WorkflowFailed; what is done by then is in the checkpoint."""
        begun = self.state.replace(started_at=self.state.started_at or _now())
        outcomes: dict[str, Outcome] = {}
        self.task.state = TaskState.RUNNING
        while True:
            course = read_course(begun, outcomes)
            self._note(course.state)
            if not course.calls:
                break
            results = await asyncio.gather(*map(self._perform, course.calls))
            outcomes |= {
                call.id: result for call, result in zip(course.calls, results, strict=True)
            }
        failed = course.state.failed
        self.task.state = TaskState.FAILED if failed else TaskState.COMPLETED
        if failed is not None:
            raise WorkflowFailed(failed.title, failed.error or "")
        return self.state

    def _note(self, state: WorkflowState) -> None:
        if state.is_completed:
            state = state.replace(completed_at=state.completed_at or _now())
        self.state = state
        save_checkpoint(state)
        self._on_progress(state)

    async def _perform(self, call: ToolUseContent) -> Outcome:
        if call.name == "new_task":
            return await self._carry_out(str(call.input["mode"]), str(call.input["message"]))
        if call.name == GATE:
            if self._approve is None:
                return Outcome("Nobody is there to be asked.", is_error=True)
            return Outcome("", is_error=not await self._approve(str(call.input["question"])))
        result = await self.agent.tools.execute(call, self.agent.context)
        return Outcome(result.content, result.is_error)

    async def _carry_out(self, mode: str, message: str) -> Outcome:
        try:
            subtask = self.agent.create_subtask(mode, message)
            answer = await self.agent.run(subtask)
        except RooCodeError as error:
            return Outcome(str(error), is_error=True)
        if subtask.state is not TaskState.COMPLETED:
            return Outcome("it waits for an answer that nobody here can give", is_error=True)
        return Outcome(answer)


def _now() -> datetime:
    return datetime.now(UTC)
