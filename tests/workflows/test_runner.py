"""WorkflowRunner: phases of subtasks in one process, and a checkpoint to go on from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from roo_code.errors import ConfigError, ServerFailed, WorkflowFailed
from roo_code.messages import ToolUseContent
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.testing.scripted_provider import Reply
from roo_code.workflows.runner import WorkflowRunner
from roo_code.workflows.state import PhaseSpec, PhaseStatus, SubtaskSpec, WorkflowState


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))


def done(text: str) -> Sequence[ToolUseContent]:
    return [ToolUseContent(id="c", name="attempt_completion", input={"result": text})]


def subtask(id: str) -> SubtaskSpec:
    return SubtaskSpec(subtask_id=id, message=f"Do {id}.")


PLAN = PhaseSpec(
    phase_id="plan", name="Plan", mode="architect", subtasks=(subtask("a"), subtask("b"))
)
BUILD = PhaseSpec(phase_id="build", name="Build", subtasks=(subtask("c"),))


def runner(
    folder: Path, *replies: Reply, phases: Sequence[PhaseSpec] = (PLAN, BUILD), **fields: object
) -> tuple[WorkflowRunner, ScriptedProvider]:
    provider = ScriptedProvider(*replies)
    (folder / "w").mkdir(exist_ok=True)
    given = {"project_root": folder / "w", "checkpoint_file": folder / "c.json"} | fields
    made = WorkflowRunner(scripted_client(provider=provider), phases, **given)  # pyright: ignore[reportArgumentType]
    return made, provider


@pytest.mark.requirement(
    "workflow:runner:orchestrator-start",
    "workflow:runner:phase-order",
    "workflow:runner:subtasks",
    "workflow:runner:hierarchy",
)
async def test_each_subtask_is_a_child_of_the_orchestrator_in_the_mode_of_its_phase(
    tmp_path: Path,
) -> None:
    flow, provider = runner(tmp_path, done("A!"), done("B!"), done("C!"))
    assert flow.agent.mode.slug == "orchestrator"
    state = await flow.run()
    assert [p.task_results for p in state.phases] == [{"a": "A!", "b": "B!"}, {"c": "C!"}]
    said = [request.messages[0].text for request in provider.requests]
    assert said == ["Do a.", "Do b.", "Do c."]
    children = [flow.agent.orchestrator.tasks[id] for id in flow.task.child_task_ids]
    assert [child.mode_slug for child in children] == ["architect", "architect", "code"]
    assert all(child.parent is flow.task for child in children)


@pytest.mark.requirement("workflow:runner:progress")
async def test_progress_can_be_watched(tmp_path: Path) -> None:
    seen: list[tuple[int, int, bool, bool]] = []

    def note(state: WorkflowState) -> None:
        seen.append((
            state.current_phase_idx, state.total_subtasks_completed,
            state.started_at is not None, state.completed_at is not None,
        ))  # fmt: skip

    flow, _ = runner(tmp_path, done("A!"), done("B!"), done("C!"), on_progress=note)
    await flow.run()
    assert seen == [
        (0, 0, True, False),
        (0, 1, True, False),
        (1, 2, True, False),
        (2, 3, True, True),
    ]
    assert flow.state.total_subtasks == 3


@pytest.mark.requirement(
    "workflow:runner:failure", "workflow:checkpoint:saved-per-phase", "workflow:checkpoint:resume"
)
async def test_a_failure_is_kept_and_a_later_run_repeats_nothing_that_was_done(
    tmp_path: Path,
) -> None:
    broken = ServerFailed("It broke.")
    flow, _ = runner(tmp_path, done("A!"), *[broken] * 10)
    with pytest.raises(WorkflowFailed, match="Phase 'Plan' failed"):
        await flow.run()
    saved = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [phase["status"] for phase in saved["phases"]] == ["failed", "pending"]
    assert saved["phases"][0]["task_results"] == {"a": "A!"}
    assert "It broke" in saved["phases"][0]["error"]
    again, provider = runner(tmp_path, done("B!"), done("C!"))
    assert (await again.run()).is_completed
    assert [request.messages[0].text for request in provider.requests] == ["Do b.", "Do c."]
    once_more, provider = runner(tmp_path)
    assert (await once_more.run()).is_completed
    assert provider.requests == []


async def test_checks_are_run_and_what_they_find_is_mended(tmp_path: Path) -> None:
    build = BUILD.replace(checks=("test -e made",), retries=1)
    write = ToolUseContent(id="w", name="execute_command", input={"command": "touch made"})
    flow, provider = runner(tmp_path, done("C!"), [write], done("Mended."), phases=(build,))
    assert (await flow.run()).is_completed
    assert "test -e made" in provider.requests[1].messages[0].text
    failing, _ = runner(
        tmp_path, done("C!"), phases=(BUILD.replace(checks=("false",)),), checkpoint_file=None
    )
    with pytest.raises(WorkflowFailed, match="The check 'false' failed"):
        await failing.run()


@pytest.mark.parametrize(("answer", "status"), [(True, "completed"), (False, "failed")])
async def test_a_gate_is_asked_of_whoever_is_there(
    tmp_path: Path, answer: bool, status: str
) -> None:
    async def approve(question: str) -> bool:
        assert question == "Really?"
        return answer

    gated = BUILD.replace(gate="Really?")
    flow, _ = runner(tmp_path, done("C!"), phases=(gated,), approve=approve)
    if not answer:
        with pytest.raises(WorkflowFailed, match=r"It was not approved\."):
            await flow.run()
    else:
        await flow.run()
    assert flow.state.phases[0].status is PhaseStatus(status)
    alone, _ = runner(tmp_path, phases=(gated,), checkpoint_file=None)
    with pytest.raises(WorkflowFailed, match="Nobody is there to be asked"):
        await alone.run()


async def test_parallel_subtasks_are_all_answered(tmp_path: Path) -> None:
    both = PLAN.replace(parallel=True)
    flow, _ = runner(tmp_path, done("One."), done("Two."), phases=(both,))
    assert set((await flow.run()).phases[0].task_results.values()) == {"One.", "Two."}


async def test_an_unknown_mode_fails_the_phase_and_says_which_there_are(tmp_path: Path) -> None:
    flow, _ = runner(tmp_path, phases=(BUILD.replace(mode="wizard"),))
    with pytest.raises(WorkflowFailed, match="There is no mode 'wizard'"):
        await flow.run()


def test_a_checkpoint_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"version": 2}', encoding="utf-8")
    with pytest.raises(ConfigError, match="version 2"):
        runner(tmp_path)
