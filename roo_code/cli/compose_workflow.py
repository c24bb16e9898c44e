"""Put together the task that runs a workflow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from roo_code.cli.compose_modes import HostModes, provider_of_mode
from roo_code.client import RooClient
from roo_code.config.paths import state_folder
from roo_code.config.schema import ProviderSettings
from roo_code.events import Event, TaskSpec
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.task.task import TaskSetup
from roo_code.tools import ToolContext
from roo_code.workflows.agent import PassGate, WorkflowAgent
from roo_code.workflows.checkpoint import restore, save_checkpoint
from roo_code.workflows.file import Workflow
from roo_code.workflows.provider import PROVIDER, WorkflowProvider, course_of
from roo_code.workflows.state import WorkflowState


def workflow_spec(spec: TaskSpec, workflow: Workflow) -> TaskSpec:
    """Of a task that runs the workflow; its subtasks are as `spec` says.

    The workflow is stored with it, so that it goes on as it began, whatever becomes of the file.
    """
    provider: dict[str, JsonValue] = {
        "api_provider": PROVIDER,
        "workflow": workflow.to_dict(),
        "subtasks": spec.provider,
    }
    return spec.replace(
        prompt=f"Run the workflow {workflow.name}.", mode="orchestrator", provider=provider
    )


def workflow_of(spec: TaskSpec) -> Workflow | None:
    """What the task runs, if it is a workflow's."""
    if spec.provider.get("api_provider") != PROVIDER:
        return None
    return Workflow.from_dict(spec.provider["workflow"])


def workflow_state(workflow: Workflow, events: Sequence[Event]) -> WorkflowState:
    """How far it has come, as its log tells."""
    return course_of(workflow, History(events).messages).state


def checkpoint_file(task_id: str) -> Path:
    return state_folder() / "workflows" / f"{task_id}.json"


def settings_below(spec: TaskSpec) -> ProviderSettings:
    """Of the model that its subtasks ask."""
    return ProviderSettings.read(_provider_below(spec))


def _provider_below(spec: TaskSpec) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", spec.provider["subtasks"])


def workflow_agent(setup: TaskSetup, modes: HostModes, context: ToolContext) -> WorkflowAgent:
    workflow = workflow_of(setup.spec)
    assert workflow is not None
    path = checkpoint_file(setup.task_id)
    begun = restore(WorkflowState(phases=workflow.phases, checkpoint_file=path)).started_at

    def note(state: WorkflowState) -> None:
        now = datetime.now(UTC)
        ended = now if state.is_completed else None
        save_checkpoint(
            state.replace(started_at=begun or now, completed_at=ended, checkpoint_file=path)
        )

    agent = WorkflowAgent(
        RooClient(
            ProviderSettings(api_provider=PROVIDER), provider=WorkflowProvider(workflow, note)
        ),
        [PassGate()],
        **modes.parts(setup, context.settings),
        context=context,
        max_iterations=None,
        metadata={"task_id": setup.task_id, "mode": setup.spec.mode},
    )
    below = setup.spec.replace(provider=_provider_below(setup.spec), mode="code")
    agent.provider_for = lambda mode: provider_of_mode(below, mode)
    return agent
