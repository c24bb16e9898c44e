"""What a workflow does next, given what came of all it has done: a pure function.

The ids of its calls are worked out from the workflow alone, so whoever goes on with it, in
whichever process, asks for the same and finds what is done already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from roo_code.json_text import JsonValue
from roo_code.messages import ToolUseContent
from roo_code.workflows.state import PhaseSpec, PhaseStatus, SubtaskSpec, WorkflowState

GATE = "pass_gate"
"""The call that a person must approve."""
_REFERENCE = re.compile(r"\{\{\s*([\w-]+)\.([\w-]+)\s*\}\}")
_EXIT_CODE = re.compile(r"^(?:.*\bE|E)xit code: (-?\d+)", re.MULTILINE)
_OUTPUT = re.compile(r"^(?:Output|Preview|Output so far|Output until then):\n", re.MULTILINE)
_SHOWN_OF_CHECK = 4000


class Outcome(NamedTuple):
    """What came of a call."""

    text: str
    is_error: bool = False
    interrupted: bool = False
    """Nobody saw its end: it is made again, and does not count as a try."""


Outcomes: TypeAlias = Mapping[str, Outcome]


class Course(NamedTuple):
    """How far a workflow has come, and the calls that are next; none once it has ended."""

    state: WorkflowState
    calls: tuple[ToolUseContent, ...] = ()


def read_course(state: WorkflowState, outcomes: Outcomes, more_tries: int = 0) -> Course:
    """`state` is where it began, `more_tries` how often somebody wanted it to try again."""
    phases = list(state.phases)
    calls: tuple[ToolUseContent, ...] = ()
    current = len(phases)
    for number, phase in enumerate(phases):
        if phase.status is PhaseStatus.COMPLETED:
            continue
        work = _Work(phase, outcomes, _results(phases[:number]), more_tries)
        calls = tuple(work.next_calls())
        phases[number] = work.as_it_stands(is_at_work=bool(calls))
        if phases[number].status is not PhaseStatus.COMPLETED:
            current = number
            break
    done = sum(len(phase.task_results) for phase in phases)
    now = state.replace(
        phases=tuple(phases), current_phase_idx=current, total_subtasks_completed=done
    )
    return Course(now, calls)


def references(text: str) -> list[tuple[str, str]]:
    """The phases and subtasks whose results a message wants."""
    return [(found[1], found[2]) for found in _REFERENCE.finditer(text)]


def _results(phases: list[PhaseSpec]) -> dict[tuple[str, str], str]:
    return {
        (phase.phase_id, subtask): result
        for phase in phases
        for subtask, result in phase.task_results.items()
    }


class _Tries(NamedTuple):
    """The tries of one thing, as far as they have come."""

    last: Outcome | None
    """None while there is none, or the last was cut short."""
    counted: int
    next_id: str


class _Work:
    """One phase: its gate, its subtasks, its checks, in this order."""

    def __init__(
        self,
        phase: PhaseSpec,
        outcomes: Outcomes,
        earlier: Mapping[tuple[str, str], str],
        more_tries: int,
    ) -> None:
        self._phase = phase
        self._outcomes = outcomes
        self._earlier = earlier
        self._most_tries = (phase.retries + 1) * (1 + more_tries)
        self._more_tries = more_tries
        self._error: str | None = None

    def as_it_stands(self, *, is_at_work: bool) -> PhaseSpec:
        if self._error is not None:
            status = PhaseStatus.FAILED
        else:
            status = PhaseStatus.RUNNING if is_at_work else PhaseStatus.COMPLETED
        results = {
            subtask.subtask_id: result
            for subtask in self._phase.subtasks
            if (result := self._result_of(subtask)) is not None
        }
        return replace(self._phase, status=status, task_results=results, error=self._error)

    def next_calls(self) -> Iterator[ToolUseContent]:
        if self._phase.gate and not self._is_approved():
            yield from self._ask()
            return
        waiting = [s for s in self._phase.subtasks if self._result_of(s) is None]
        for subtask in waiting if self._phase.parallel else waiting[:1]:
            yield from self._start(subtask)
        if not waiting:
            yield from self._check()

    def _id(self, what: str, number: int) -> str:
        return f"{self._phase.phase_id}.{what}.{number}"

    def _tries(self, what: str) -> _Tries:
        number, counted = 1, 0
        last: Outcome | None = None
        while (outcome := self._outcomes.get(self._id(what, number))) is not None:
            last = None if outcome.interrupted else outcome
            counted += not outcome.interrupted
            number += 1
        return _Tries(last, counted, self._id(what, number))

    # The gate.

    def _is_approved(self) -> bool:
        last = self._tries("@gate").last
        return last is not None and not last.is_error

    def _ask(self) -> Iterator[ToolUseContent]:
        tries = self._tries("@gate")
        if tries.last is not None and tries.counted > self._more_tries:
            self._error = f"It was not approved. {tries.last.text}"
            return
        yield ToolUseContent(id=tries.next_id, name=GATE, input={"question": self._phase.gate})

    # The subtasks.

    def _result_of(self, subtask: SubtaskSpec) -> str | None:
        if (known := self._phase.task_results.get(subtask.subtask_id)) is not None:
            return known
        last = self._tries(subtask.subtask_id).last
        return None if last is None or last.is_error else result_text(last.text)

    def _start(self, subtask: SubtaskSpec) -> Iterator[ToolUseContent]:
        tries = self._tries(subtask.subtask_id)
        message = _REFERENCE.sub(self._referred, subtask.message)
        if tries.last is not None:
            if tries.counted >= self._most_tries:
                self._error = f"Subtask {subtask.subtask_id} failed: {tries.last.text}"
                return
            message += f"\n\nThe last try failed:\n{tries.last.text}"
        yield self._new_task(tries.next_id, subtask.mode, message)

    def _referred(self, found: re.Match[str]) -> str:
        phase, subtask = found[1], found[2]
        if phase == self._phase.phase_id:
            own = next((s for s in self._phase.subtasks if s.subtask_id == subtask), None)
            return (self._result_of(own) if own else None) or ""
        return self._earlier.get((phase, subtask), "")

    def _new_task(self, id: str, mode: str, message: str) -> ToolUseContent:
        input: dict[str, JsonValue] = {"mode": mode or self._phase.mode, "message": message}
        return ToolUseContent(id=id, name="new_task", input=input)

    # The checks, and the mending of what they find.

    def _check(self) -> Iterator[ToolUseContent]:
        mended = self._tries("@mend")  # whether it says that it did or not, the checks tell
        for number, command in enumerate(self._phase.checks, 1):
            tries = self._tries(f"@check{number}-{mended.counted}")
            if tries.last is None:
                yield ToolUseContent(
                    id=tries.next_id, name="execute_command", input={"command": command}
                )
                return
            if not _succeeded(tries.last):
                yield from self._mend(command, tries.last, mended)
                return

    def _mend(self, command: str, found: Outcome, mended: _Tries) -> Iterator[ToolUseContent]:
        if mended.counted + 1 >= self._most_tries:
            self._error = f"The check {command!r} failed:\n{found.text[-_SHOWN_OF_CHECK:]}"
            return
        yield self._new_task(
            mended.next_id,
            "",
            f"The check `{command}` fails. Find out why and mend it; do not weaken the check.\n\n"
            f"{found.text[-_SHOWN_OF_CHECK:]}",
        )


def result_text(report: str) -> str:
    """What a subtask came to, without what is said about it."""
    return report.partition("\n\nResult:\n")[2] or report


def _succeeded(outcome: Outcome) -> bool:
    said, *_ = _OUTPUT.split(outcome.text, maxsplit=1)  # what it printed may say anything
    code = _EXIT_CODE.search(said)
    return not outcome.is_error and code is not None and code[1] == "0"
