"""The checkpoint file: complete, never half written, and refused by name where it is not ours."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roo_code.errors import ConfigError
from roo_code.workflows.checkpoint import restore, save_checkpoint
from roo_code.workflows.state import PhaseSpec, PhaseStatus, SubtaskSpec, WorkflowState

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def state(path: Path, **fields: object) -> WorkflowState:
    subtasks = (SubtaskSpec(subtask_id="a", message="A"), SubtaskSpec(subtask_id="b", message="B"))
    phases = tuple(PhaseSpec(phase_id=id, subtasks=subtasks) for id in ("one", "two"))
    return WorkflowState(phases=phases, checkpoint_file=path, **fields)  # pyright: ignore[reportArgumentType]


def at_work(path: Path) -> WorkflowState:
    begun = state(path, started_at=AT, current_phase_idx=1, total_subtasks_completed=3)
    one, two = begun.phases
    one = one.replace(status=PhaseStatus.COMPLETED, task_results={"a": "A!", "b": "B!"})
    two = two.replace(status=PhaseStatus.FAILED, task_results={"a": "ä"}, error="no")
    return begun.replace(phases=(one, two))


@pytest.mark.requirement("workflow:checkpoint:content")
def test_it_holds_what_the_format_says(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "c.json"
    save_checkpoint(at_work(path))
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "version": 1,
        "current_phase_idx": 1,
        "phases": [
            {"phase_id": "one", "status": "completed", "task_results": {"a": "A!", "b": "B!"},
             "error": None},
            {"phase_id": "two", "status": "failed", "task_results": {"a": "ä"}, "error": "no"},
        ],
        "total_subtasks_completed": 3,
        "started_at": "2026-05-01T12:00:00+00:00",
        "completed_at": None,
    }  # fmt: skip


@pytest.mark.requirement("workflow:checkpoint:resume")
def test_it_restores_what_was_done_and_a_failed_phase_is_open_again(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    save_checkpoint(at_work(path))
    restored = restore(state(path))
    assert restored.current_phase_idx == 1
    assert restored.started_at == AT
    assert [p.status for p in restored.phases] == [PhaseStatus.COMPLETED, PhaseStatus.PENDING]
    assert restored.phases[1].task_results == {"a": "ä"}


@pytest.mark.requirement("workflow:checkpoint:saved-per-phase")
def test_a_crash_while_writing_leaves_the_former_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.json"
    save_checkpoint(state(path))
    before = path.read_bytes()
    for call in ("write", "fsync", "replace"):
        with monkeypatch.context() as broken:

            def crash(*_: object, **__: object) -> None:
                raise KeyboardInterrupt

            broken.setattr(*((os, call) if call != "replace" else (Path, call)), crash)
            if call == "write":
                broken.setattr(os, "fdopen", crash)
            with pytest.raises(KeyboardInterrupt):
                save_checkpoint(at_work(path))
        assert path.read_bytes() == before
    assert restore(state(path)).current_phase_idx == 0


def test_without_a_file_it_begins_anew(tmp_path: Path) -> None:
    begun = state(tmp_path / "none.json")
    assert restore(begun) == begun


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"version": 7}', "version 7"),
        ("{", "damaged"),
        ("[]", "version None"),
        ('{"version": 1, "phases": 3}', "damaged"),
        ('{"current_phase_idx":0,"total_subtasks_completed":0,"phases":[{"phase_id":"x",'
         '"status":"pending","task_results":{}}]}', "other phases"),
        ('{"current_phase_idx":0,"total_subtasks_completed":0,"phases":[{"phase_id":"x",'
         '"status":"paused","task_results":{}}]}', "damaged"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_ours_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        restore(state(path))
    assert str(path) in str(raised.value)
    assert told in str(raised.value)
    assert path.read_text(encoding="utf-8") == text
