"""A workflow as a picture in text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from roo_code.workflows.file import Workflow
from roo_code.workflows.state import PhaseSpec, PhaseStatus, WorkflowState

MARKS = {
    PhaseStatus.PENDING: "○",
    PhaseStatus.RUNNING: "◐",
    PhaseStatus.COMPLETED: "●",
    PhaseStatus.FAILED: "✗",
}


def as_text(name: str, state: WorkflowState) -> str:
    """A line for every phase and subtask, with how far each has come."""
    return "\n".join([name, *(line for phase in state.phases for line in _phase_lines(phase))])


def _phase_lines(phase: PhaseSpec) -> Iterator[str]:
    yield f"{MARKS[phase.status]} {phase.title} ({phase.mode})"
    if phase.gate:
        yield f"    asks: {phase.gate}"
    for subtask in phase.subtasks:
        mark = MARKS[
            PhaseStatus.COMPLETED
            if subtask.subtask_id in phase.task_results
            else PhaseStatus.PENDING
        ]
        yield f"  {mark} {subtask.subtask_id}"
    for check in phase.checks:
        yield f"    checks: {check}"
    if phase.error:
        yield f"    {phase.error.splitlines()[0]}"


def as_mermaid(workflow: Workflow) -> str:
    """For pages that draw Mermaid."""
    lines = ["flowchart TD"]
    before: list[str] = []
    for number, phase in enumerate(workflow.phases):
        nodes = [f"p{number}s{place}" for place in range(len(phase.subtasks))]
        lines.append(f'  subgraph p{number}["{_quoted(f"{phase.title} ({phase.mode})")}"]')
        labels = zip(nodes, phase.subtasks, strict=True)
        lines += [f'    {node}["{_quoted(task.subtask_id)}"]' for node, task in labels]
        if not phase.parallel:
            lines += [f"    {one} --> {two}" for one, two in pairwise(nodes)]
        lines.append("  end")
        first = nodes if phase.parallel else nodes[:1]
        lines += [f"  {one} --> {two}" for one in before for two in first]
        before = nodes if phase.parallel else nodes[-1:]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return text.replace('"', "#quot;")


def bar(state: WorkflowState, width: int = 24) -> str:
    """Such as `[████████░░░░] 4/10 Testing`."""
    total = max(state.total_subtasks, 1)
    filled = width * state.total_subtasks_completed // total
    done = f"{state.total_subtasks_completed}/{state.total_subtasks}"
    index = min(state.current_phase_idx, len(state.phases) - 1)
    where = "done" if state.is_completed else state.phases[index].title
    return f"[{'█' * filled}{'░' * (width - filled)}] {done} {where}"
