"""What a command becomes, given where the task stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct, field

from roo_code.commands import (
    AnswerQuestion,
    CancelTask,
    Command,
    CondenseContext,
    ReportSubtask,
    RespondToApproval,
    ResumeTask,
    SendMessage,
    StartTask,
    SwitchMode,
)
from roo_code.events import (
    ApprovalDecided,
    CondenseRequested,
    Event,
    MessageAdded,
    ModeSwitched,
    QuestionAnswered,
    RunCancelled,
    SpecChanged,
    SubtaskEnded,
    TaskSpec,
    Waiting,
)
from roo_code.history import History
from roo_code.messages import Message


class Intake(Struct):
    """Commands sorted: those that are events now, those that change nothing, and the rest wait."""

    accepted: list[tuple[Command, Event]] = field(default_factory=list[tuple[Command, Event]])
    ignored: list[Command] = field(default_factory=list[Command])
    cancel: CancelTask | None = None
    resume: bool = False
    spec: TaskSpec | None = None

    @property
    def changed(self) -> bool:
        steers = SpecChanged | ModeSwitched | CondenseRequested | RunCancelled
        return any(not isinstance(event, steers) for _, event in self.accepted)

    @property
    def condense(self) -> bool:
        return any(isinstance(event, CondenseRequested) for _, event in self.accepted)

    @property
    def messages(self) -> list[tuple[Command, Event]]:
        """What a running task hears of before it asks the model again."""
        heard = MessageAdded | CondenseRequested | ModeSwitched
        return [(c, event) for c, event in self.accepted if isinstance(event, heard)]


def events_for(commands: Sequence[Command], history: History) -> Intake:
    """Decide on each command in order; one that cannot be answered yet stays in the inbox."""
    intake = Intake()
    answered: set[str] = set()
    for command in commands:
        match command:
            case CancelTask():
                intake.cancel = intake.cancel or command
            case ResumeTask():
                intake.resume = True
                _resume(command, intake)
            case SendMessage():
                _hear(command, history, intake, answered)
            case RespondToApproval() | AnswerQuestion() | ReportSubtask():
                _answer(command, history, intake, answered)
            case SwitchMode() | CondenseContext():
                _steer(command, history, intake)
            case StartTask():
                intake.ignored.append(command)  # the log's first event says it all
            case _:
                assert_never(command)
    return intake


def _steer(command: SwitchMode | CondenseContext, history: History, intake: Intake) -> None:
    if isinstance(command, CondenseContext):
        intake.accepted.append((command, CondenseRequested()))
    elif command.mode == history.mode:
        intake.ignored.append(command)
    else:
        switched = ModeSwitched(mode=command.mode, previous=history.mode)
        intake.accepted.append((command, switched))


def _resume(command: ResumeTask, intake: Intake) -> None:
    if command.spec is None:
        intake.ignored.append(command)
        return
    intake.spec = command.spec.replace(prompt="", images=())
    intake.accepted.append((command, SpecChanged(spec=intake.spec)))


def _hear(command: SendMessage, history: History, intake: Intake, answered: set[str]) -> None:
    waiting = [w for w in history.waiting_for if w.tool_use_id not in answered]
    question = next((w for w in waiting if w.kind == "question"), None)
    if question is not None and history.ended is None:
        answered.add(question.tool_use_id)
        event: Event = QuestionAnswered(
            tool_use_id=question.tool_use_id, answer=command.text, images=command.images
        )
        intake.accepted.append((command, event))
    elif history.ended is not None or not history.pending:
        event = MessageAdded(message=Message.from_user(command.text, command.images))
        intake.accepted.append((command, event))


def _answer(
    command: RespondToApproval | AnswerQuestion | ReportSubtask,
    history: History,
    intake: Intake,
    answered: set[str],
) -> None:
    waits = history.waiting_for if history.ended is None else ()
    waiting = next((wait for wait in waits if wait.tool_use_id == command.tool_use_id), None)
    event: Event
    match command:
        case RespondToApproval():
            kinds = ("approval", "limit")
            event = _decided(command, history, waiting)
        case AnswerQuestion():
            kinds = ("question", "relay")
            event = QuestionAnswered(
                tool_use_id=command.tool_use_id, answer=command.answer, images=command.images
            )
        case ReportSubtask():
            kinds = ("subtask",)
            event = SubtaskEnded(
                tool_use_id=command.tool_use_id,
                subtask_id=command.subtask_id,
                result=command.result,
                is_error=command.is_error,
            )
    if waiting is None or waiting.kind not in kinds or command.tool_use_id in answered:
        intake.ignored.append(command)  # answered before, or not asked
        return
    answered.add(command.tool_use_id)
    intake.accepted.append((command, event))
    if isinstance(event, ApprovalDecided) and event.approved and event.scope != "call":
        _approve_alike(command, history, intake, answered)


def _decided(command: RespondToApproval, history: History, waiting: Waiting | None) -> Event:
    if waiting is not None and waiting.kind == "limit" and not command.approved:
        why = command.feedback or "The user did not let it go on beyond the limit."
        return RunCancelled(reason=why)
    return ApprovalDecided(
        tool_use_id=command.tool_use_id,
        approved=command.approved,
        by="user",
        reason=command.feedback,
        scope=history.approvals.permitted(command.tool_use_id, command.scope),
    )


def _approve_alike(
    command: RespondToApproval | AnswerQuestion | ReportSubtask,
    history: History,
    intake: Intake,
    answered: set[str],
) -> None:
    """Calls of the same reply that the person's yes covers are not asked one by one."""
    alike = set(history.approvals.alike(command.tool_use_id)) - answered
    for waiting in history.waiting_for:
        if waiting.kind == "approval" and waiting.tool_use_id in alike:
            answered.add(waiting.tool_use_id)
            event = ApprovalDecided(
                tool_use_id=waiting.tool_use_id,
                approved=True,
                by="policy",
                reason="a person approved its like for this task",
            )
            intake.accepted.append((command, event))
