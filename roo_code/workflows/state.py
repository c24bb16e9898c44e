"""What a workflow consists of, and how far it has come."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from msgspec import field

from roo_code.values import Value


class PhaseStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class SubtaskSpec(Value):
    """One piece of work, done by a task of its own."""

    subtask_id: str
    message: str
    """What to do. `{{phase.subtask}}` stands for the result of an earlier one."""
    mode: str = ""
    """Empty: the phase's."""


class PhaseSpec(Value):
    """Subtasks, and what must hold after them; with what came of them."""

    phase_id: str
    name: str = ""
    mode: str = "code"
    subtasks: tuple[SubtaskSpec, ...]
    parallel: bool = False
    """Whether the subtasks may all run at once."""
    checks: tuple[str, ...] = ()
    """Commands that must succeed when the subtasks are done."""
    retries: int = 0
    """How often a failed subtask is tried again, or what a failed check found is mended."""
    gate: str = ""
    """What a person is asked before the phase begins."""

    status: PhaseStatus = PhaseStatus.PENDING
    task_results: dict[str, str] = field(default_factory=dict[str, str])
    error: str | None = None

    @property
    def title(self) -> str:
        return self.name or self.phase_id


class WorkflowState(Value):
    phases: tuple[PhaseSpec, ...]
    current_phase_idx: int = 0
    total_subtasks_completed: int = 0
    started_at: datetime | None = None
    completed_at: datetime | None = None
    checkpoint_file: Path | None = None

    @property
    def total_subtasks(self) -> int:
        return sum(len(phase.subtasks) for phase in self.phases)

    @property
    def failed(self) -> PhaseSpec | None:
        return next((p for p in self.phases if p.status is PhaseStatus.FAILED), None)

    @property
    def is_completed(self) -> bool:
        return all(phase.status is PhaseStatus.COMPLETED for phase in self.phases)
