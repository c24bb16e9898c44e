"""The checkpoint file: how far a workflow has come, for a later run to go on from."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert

from roo_code.config.safe_files import locked, replace_file
from roo_code.errors import ConfigError
from roo_code.values import Value
from roo_code.workflows.state import PhaseSpec, PhaseStatus, WorkflowState

VERSION = 1


class _Phase(Value):
    phase_id: str
    status: PhaseStatus
    task_results: dict[str, str]
    error: str | None = None


class _Checkpoint(Value):
    current_phase_idx: int
    phases: tuple[_Phase, ...]
    total_subtasks_completed: int
    started_at: datetime | None = None
    completed_at: datetime | None = None


def as_json(state: WorkflowState) -> dict[str, Any]:
    return {
        "version": VERSION,
        "current_phase_idx": state.current_phase_idx,
        "phases": [
            {
                "phase_id": phase.phase_id,
                "status": phase.status.value,
                "task_results": phase.task_results,
                "error": phase.error,
            }
            for phase in state.phases
        ],
        "total_subtasks_completed": state.total_subtasks_completed,
        "started_at": state.started_at.isoformat() if state.started_at else None,
        "completed_at": state.completed_at.isoformat() if state.completed_at else None,
    }


def save_checkpoint(state: WorkflowState) -> None:
    """Whole or not at all: a crash in the middle leaves the former one."""
    if state.checkpoint_file is not None:
        text = json.dumps(as_json(state), ensure_ascii=False, indent=2) + "\n"
        with locked(state.checkpoint_file):
            replace_file(state.checkpoint_file, text.encode("utf-8", "surrogatepass"))


def restore(state: WorkflowState) -> WorkflowState:
    """The state with what its checkpoint file says, if there is one."""
    path = state.checkpoint_file
    if path is None or not path.exists():
        return state
    saved = _read(path)
    if [p.phase_id for p in saved.phases] != [p.phase_id for p in state.phases]:
        raise _refused(path, "it is of a workflow with other phases", "Give another file.")
    phases = tuple(map(_restored, state.phases, saved.phases))
    return state.replace(
        phases=phases,
        current_phase_idx=saved.current_phase_idx,
        total_subtasks_completed=saved.total_subtasks_completed,
        started_at=saved.started_at,
        completed_at=saved.completed_at,
    )


def _restored(phase: PhaseSpec, saved: _Phase) -> PhaseSpec:
    """A phase that was at work, or failed, goes on with the subtasks that are not done."""
    status = saved.status if saved.status is PhaseStatus.COMPLETED else PhaseStatus.PENDING
    return phase.replace(status=status, task_results=saved.task_results)


def _read(path: Path) -> _Checkpoint:
    mend = "Remove the file to begin anew, or put back an older copy."
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _refused(path, f"it cannot be read: {error.strerror}", "") from error
    except ValueError as error:
        raise _refused(path, f"it is damaged: {error}", mend) from error
    version: Any = data.get("version", VERSION) if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if version != VERSION:
        raise _refused(
            path,
            f"it is of version {version!r}, and this program knows version {VERSION}",
            "Use the program that wrote it, or a newer one.",
        )
    try:
        return convert(data, _Checkpoint)
    except ValidationError as error:
        raise _refused(path, f"it is damaged: {error}", mend) from error


def _refused(path: Path, why: str, hint: str) -> ConfigError:
    return ConfigError(f"The checkpoint {str(path)!r} cannot be used: {why}.", hint=hint)
