"""What a workflow does next: a pure function of what came of what it did."""

from __future__ import annotations

import pytest

from roo_code.messages import ToolUseContent
from roo_code.workflows.course import Course, Outcome, read_course
from roo_code.workflows.state import PhaseSpec, PhaseStatus, SubtaskSpec, WorkflowState


def phase(id: str, *subtasks: str, **fields: object) -> PhaseSpec:
    tasks = tuple(SubtaskSpec(subtask_id=s, message=f"Do {s}.") for s in subtasks or ("work",))
    return PhaseSpec(phase_id=id, subtasks=tasks, **fields)  # pyright: ignore[reportArgumentType]


def state(*phases: PhaseSpec) -> WorkflowState:
    return WorkflowState(phases=phases)


def walk(
    begun: WorkflowState, answers: dict[str, Outcome], more_tries: int = 0, most: int = 50
) -> tuple[list[str], Course]:
    """Answer every call until there is none; the ids in order."""
    known: dict[str, Outcome] = {}
    made: list[str] = []
    for _ in range(most):
        course = read_course(begun, known, more_tries)
        if not course.calls:
            return made, course
        for call in course.calls:
            assert call.id not in known, f"{call.id} was made twice"
            made.append(call.id)
            known[call.id] = answers.get(call.id, usual(call))
    raise AssertionError("it does not end")


def usual(call: ToolUseContent) -> Outcome:
    match call.name:
        case "new_task":
            return Outcome(f"Subtask t completed.\n\nResult:\ndone {call.id}")
        case "execute_command":
            return Outcome("Exit code: 0\nOutput:\nok")
        case _:
            return Outcome("Approved.")


@pytest.mark.requirement("workflow:runner:phase-order")
def test_phases_run_in_order_and_subtasks_in_the_mode_of_their_phase() -> None:
    begun = state(phase("plan", "a", "b", mode="architect"), phase("build", "c", checks=("make",)))
    first = read_course(begun, {})
    assert [(c.name, c.input["mode"], c.input["message"]) for c in first.calls] == [
        ("new_task", "architect", "Do a.")
    ]
    assert first.state.phases[0].status is PhaseStatus.RUNNING
    made, course = walk(begun, {})
    assert made == ["plan.a.1", "plan.b.1", "build.c.1", "build.@check1-0.1"]
    assert course.state.is_completed
    assert course.state.phases[0].task_results == {"a": "done plan.a.1", "b": "done plan.b.1"}
    assert (course.state.total_subtasks_completed, course.state.current_phase_idx) == (3, 2)


def test_parallel_subtasks_are_started_together() -> None:
    course = read_course(state(phase("p", "a", "b", "c", parallel=True)), {})
    assert [call.id for call in course.calls] == ["p.a.1", "p.b.1", "p.c.1"]


@pytest.mark.requirement("workflow:runner:failure")
def test_a_failed_subtask_ends_the_phase_and_later_ones_are_not_begun() -> None:
    begun = state(phase("one", "a", "b"), phase("two"))
    made, course = walk(begun, {"one.a.1": Outcome("it broke", is_error=True)})
    assert made == ["one.a.1"]
    assert course.state.phases[0].status is PhaseStatus.FAILED
    assert course.state.phases[0].error == "Subtask a failed: it broke"
    assert course.state.phases[1].status is PhaseStatus.PENDING


def test_a_failed_subtask_is_tried_again_and_told_why() -> None:
    begun = state(phase("p", "a", retries=1))
    failed = {"p.a.1": Outcome("no such file", is_error=True)}
    again = read_course(begun, failed)
    assert again.calls[0].id == "p.a.2"
    assert "no such file" in str(again.calls[0].input["message"])
    made, course = walk(begun, failed | {"p.a.2": Outcome("still", is_error=True)})
    assert made == ["p.a.1", "p.a.2"]
    assert course.state.failed is not None


def test_somebody_who_wants_it_tried_again_gives_it_as_many_tries_once_more() -> None:
    begun = state(phase("p", "a"))
    failed = {"p.a.1": Outcome("broke", is_error=True)}
    assert walk(begun, failed, more_tries=1)[0] == ["p.a.1", "p.a.2"]
    assert walk(begun, failed, more_tries=1)[1].state.is_completed


def test_a_call_that_was_cut_short_is_made_again_and_does_not_count() -> None:
    begun = state(phase("p", "a", checks=("make",)))
    cut = Outcome("interrupted", is_error=True, interrupted=True)
    made, course = walk(begun, {"p.a.1": cut, "p.@check1-0.1": cut})
    assert made == ["p.a.1", "p.a.2", "p.@check1-0.1", "p.@check1-0.2"]
    assert course.state.is_completed


def test_what_a_check_finds_is_mended_and_checked_again() -> None:
    begun = state(phase("p", "a", checks=("lint", "test"), retries=1, mode="debug"))
    answers = {"p.@check2-0.1": Outcome("Exit code: 1\nOutput:\nE   assert 1 == 2")}
    made, course = walk(begun, answers)
    assert made == [
        "p.a.1", "p.@check1-0.1", "p.@check2-0.1", "p.@mend.1", "p.@check1-1.1", "p.@check2-1.1",
    ]  # fmt: skip
    assert course.state.is_completed
    known = {id: answers.get(id, Outcome("Exit code: 0")) for id in made[:3]}
    mending = read_course(begun, known | {"p.a.1": Outcome("done")}).calls[0]
    assert mending.input["mode"] == "debug"
    assert "assert 1 == 2" in str(mending.input["message"])


@pytest.mark.parametrize(
    "found",
    [
        Outcome("Exit code: 2\nOutput:\n"),
        Outcome("The approval policy refused this call: no", is_error=True),
        Outcome("The command timed out"),
        Outcome("Output:\nExit code: 0 is what I print"),
    ],
)
def test_a_check_that_did_not_end_with_success_fails_the_phase(found: Outcome) -> None:
    _, course = walk(state(phase("p", checks=("test",))), {"p.@check1-0.1": found})
    assert course.state.failed is not None
    assert course.state.failed.error is not None
    assert course.state.failed.error.startswith("The check 'test' failed:")


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_gate_asks_a_person_first(goes_on: bool) -> None:
    begun = state(phase("p", "a", gate="Deploy?"))
    asked = read_course(begun, {})
    assert [(call.name, call.input) for call in asked.calls] == [
        ("pass_gate", {"question": "Deploy?"})
    ]
    said = Outcome("Approved." if goes_on else "Not before noon.", is_error=not goes_on)
    made, course = walk(begun, {"p.@gate.1": said})
    assert made == (["p.@gate.1", "p.a.1"] if goes_on else ["p.@gate.1"])
    if not goes_on:
        assert course.state.phases[0].error == "It was not approved. Not before noon."
        made, _ = walk(begun, {"p.@gate.1": said}, more_tries=1)
        assert made == ["p.@gate.1", "p.@gate.2", "p.a.1"]


def test_a_message_may_hold_results_of_before() -> None:
    one = phase("plan", "list")
    task = SubtaskSpec(subtask_id="do", message="Do: {{plan.list}} and {{ build.first }}.")
    first = SubtaskSpec(subtask_id="first", message="First.")
    begun = state(one, PhaseSpec(phase_id="build", subtasks=(first, task)))
    known = {
        "plan.list.1": Outcome("Subtask x completed.\n\nResult:\nten things"),
        "build.first.1": Outcome("Subtask y completed.\n\nResult:\nit"),
    }
    assert read_course(begun, known).calls[0].input["message"] == "Do: ten things and it."


@pytest.mark.requirement("workflow:state:fields")
def test_a_new_state_holds_the_phases_and_nothing_has_happened() -> None:
    new = state(phase("a"), phase("b", "x", "y"))
    assert (new.current_phase_idx, new.total_subtasks_completed) == (0, 0)
    assert (new.started_at, new.completed_at, new.checkpoint_file) == (None, None, None)
    assert [p.status for p in new.phases] == [PhaseStatus.PENDING] * 2
    assert new.total_subtasks == 3
