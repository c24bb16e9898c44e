"""What happened in a task. Every front end shows these; none invents its own."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, JsonValue

from roo_code.messages import ImageContent, Message, ToolResult, ToolUseContent, Value


class BaseEvent(Value):
    durable: ClassVar[bool] = True
    """False for what a later event repeats in full; such events are shown but not stored."""

    @property
    def barrier(self) -> bool:
        """True where the event must be on disk before what it announces may happen."""
        return False


class Limits(Value):
    """What a task may use, its subtasks counted in. None means no limit."""

    turns: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class ApprovalSettings(Value):
    """What may run without a person's word; see `policy`."""

    level: Literal["all", "auto", "edits", "read", "ask"] = "auto"
    unattended: bool = False
    """True where nobody can answer: what would be asked is refused with the reason."""
    allowed_commands: tuple[str, ...] = ()
    denied_commands: tuple[str, ...] = ()


class ParentCall(Value):
    """The call of another task that this task is the answer to."""

    task_id: str
    tool_use_id: str


class TaskSpec(Value):
    """All that is needed to drive a task in any process, but for secrets."""

    prompt: str
    images: tuple[ImageContent, ...] = ()
    workspace: str
    mode: str = "code"
    provider: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """`ProviderSettings` without the key."""
    approval: ApprovalSettings = Field(default_factory=ApprovalSettings)
    limits: Limits = Field(default_factory=Limits)
    consecutive_mistake_limit: int = 10
    parent: ParentCall | None = None


class TaskCreated(BaseEvent):
    """The first event of every log."""

    type: Literal["task_created"] = "task_created"
    spec: TaskSpec


class SpecChanged(BaseEvent):
    """The task goes on with other settings: another model, a higher limit."""

    type: Literal["spec_changed"] = "spec_changed"
    spec: TaskSpec


class MessageAdded(BaseEvent):
    """The user or the model said something; tool results come as `ToolFinished`."""

    type: Literal["message_added"] = "message_added"
    message: Message


class TurnStarted(BaseEvent):
    """The model is about to be asked."""

    type: Literal["turn_started"] = "turn_started"
    turn: int

    @property
    def barrier(self) -> bool:
        return True


class TextDelta(BaseEvent):
    durable = False
    type: Literal["text_delta"] = "text_delta"
    text: str


class ReasoningDelta(BaseEvent):
    durable = False
    type: Literal["reasoning_delta"] = "reasoning_delta"
    text: str


class ToolInputDelta(BaseEvent):
    """A piece of a call's input as the model writes it."""

    durable = False
    type: Literal["tool_input_delta"] = "tool_input_delta"
    tool_use_id: str
    name: str
    partial_json: str


class RequestRetried(BaseEvent):
    """A model call failed in a way that a repeat may mend, and will be repeated."""

    type: Literal["request_retried"] = "request_retried"
    attempt: int
    delay: float
    error: str
    kind: str


class ReplyRestarted(BaseEvent):
    """Forget the text shown since `turn_started`: the repeat says something else."""

    durable = False
    type: Literal["reply_restarted"] = "reply_restarted"


class ApprovalRequested(BaseEvent):
    type: Literal["approval_requested"] = "approval_requested"
    call: ToolUseContent
    reason: str = ""


class ApprovalDecided(BaseEvent):
    """Whether a call may run, who said so and why. Asked once: a restart uses this answer."""

    type: Literal["approval_decided"] = "approval_decided"
    tool_use_id: str
    approved: bool
    by: Literal["policy", "user"]
    reason: str = ""
    """The policy's reason, or the person's words to the model."""


class ToolStarted(BaseEvent):
    type: Literal["tool_started"] = "tool_started"
    call: ToolUseContent
    repeatable: bool = False
    """Whether the call may simply be made again if nobody knows how it ended."""

    @property
    def barrier(self) -> bool:
        return not self.repeatable


class ToolOutput(BaseEvent):
    """Output of a running tool, as it comes."""

    durable = False
    type: Literal["tool_output"] = "tool_output"
    tool_use_id: str
    text: str


class ToolFinished(BaseEvent):
    type: Literal["tool_finished"] = "tool_finished"
    result: ToolResult


class Suggestion(Value):
    text: str
    mode: str | None = None


class QuestionAsked(BaseEvent):
    type: Literal["question_asked"] = "question_asked"
    tool_use_id: str
    question: str
    suggestions: tuple[Suggestion, ...] = ()


class QuestionAnswered(BaseEvent):
    type: Literal["question_answered"] = "question_answered"
    tool_use_id: str
    answer: str
    images: tuple[ImageContent, ...] = ()


class SubtaskStarted(BaseEvent):
    """A call is answered by another task, whose id and orders are fixed here, before it exists."""

    type: Literal["subtask_started"] = "subtask_started"
    tool_use_id: str
    subtask_id: str
    prompt: str
    mode: str = "code"


class SubtaskEnded(BaseEvent):
    type: Literal["subtask_ended"] = "subtask_ended"
    tool_use_id: str
    subtask_id: str
    result: str
    is_error: bool = False


class Waiting(Value):
    """One thing a parked task waits for."""

    kind: Literal["approval", "question", "subtask"]
    tool_use_id: str


class RunParked(BaseEvent):
    """Nothing runs until a command brings what is waited for."""

    type: Literal["run_parked"] = "run_parked"
    waiting_for: tuple[Waiting, ...]


class RunCompleted(BaseEvent):
    type: Literal["run_completed"] = "run_completed"
    result: str


class RunFailed(BaseEvent):
    type: Literal["run_failed"] = "run_failed"
    error: str
    hint: str = ""
    kind: str = ""


class RunCancelled(BaseEvent):
    type: Literal["run_cancelled"] = "run_cancelled"
    reason: str = ""


RunEnded: TypeAlias = RunCompleted | RunFailed | RunCancelled

Event: TypeAlias = Annotated[
    TaskCreated
    | SpecChanged
    | MessageAdded
    | TurnStarted
    | TextDelta
    | ReasoningDelta
    | ToolInputDelta
    | RequestRetried
    | ReplyRestarted
    | ApprovalRequested
    | ApprovalDecided
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | QuestionAsked
    | QuestionAnswered
    | SubtaskStarted
    | SubtaskEnded
    | RunParked
    | RunCompleted
    | RunFailed
    | RunCancelled,
    Field(discriminator="type"),
]


class EventRecord(Value):
    """An event as logged and sent.

    `seq` numbers what is stored and only grows, so a client can resume after it. An event that
    is not stored carries the number of the last one that is.
    """

    task_id: str
    seq: int
    at: datetime
    event: Event
