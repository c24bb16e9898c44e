"""What happened in a task. Every front end shows these; none invents its own."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, TypeAlias

from msgspec import field

from roo_code.approval_values import ApprovalRule, ApprovalScope, ApprovalSettings
from roo_code.json_text import JsonValue
from roo_code.messages import (
    ImageContent,
    Message,
    TextContent,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.values import Value


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


class ParentCall(Value):
    """The call of another task that this task is the answer to."""

    task_id: str
    tool_use_id: str
    depth: int = 1
    """How many tasks stand above."""


class TaskSpec(Value):
    """All that is needed to drive a task in any process, but for secrets."""

    prompt: str
    images: tuple[ImageContent, ...] = ()
    workspace: str
    mode: str = "code"
    provider: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """`ProviderSettings` without the key."""
    approval: ApprovalSettings = field(default_factory=ApprovalSettings)
    limits: Limits = field(default_factory=Limits)
    consecutive_mistake_limit: int = 10
    sandbox: Literal["", "off", "unasked", "auto", "required"] = ""
    """Whether commands run in one; empty is as the settings say."""
    parent: ParentCall | None = None


class TaskCreated(BaseEvent, tag="task_created"):
    """The first event of every log."""

    spec: TaskSpec


class SpecChanged(BaseEvent, tag="spec_changed"):
    """The task goes on with other settings: another model, a higher limit."""

    spec: TaskSpec


class MessageAdded(BaseEvent, tag="message_added"):
    """The user or the model said something; tool results come as `ToolFinished`."""

    message: Message


class MentionsRead(BaseEvent, tag="mentions_read"):
    """What the user's words point at, such as `@/notes.md`, as it was when the task heard them."""

    names: tuple[str, ...]
    """As the user wrote them."""
    content: tuple[TextContent | ImageContent, ...]
    seen_files: dict[str, str] = field(default_factory=dict[str, str])


class EnvironmentTold(BaseEvent, tag="environment_told"):
    """What the model is told of its surroundings before it is asked: time, open work, changes."""

    text: str
    seen_files: dict[str, str] = field(default_factory=dict[str, str])
    """Files whose change since the model saw them is told here, with their digests now."""


class ModeSwitched(BaseEvent, tag="mode_switched"):
    """The task goes on in another mode."""

    mode: str
    previous: str
    reason: str = ""


class CondenseRequested(BaseEvent, tag="condense_requested"):
    """Somebody wants the history made shorter, whether it still fits or not."""


class ContextCondensed(BaseEvent, tag="context_condensed"):
    """All messages but the last `kept` stand from now on as one that sums them up.

    Nothing is lost: the log keeps what was said. Empty `summary`: they are left out.
    """

    summary: str
    kept: int
    tokens_before: int
    tokens_after: int
    usage: Usage | None = None
    """What the summary took."""
    error: str = ""
    """Why there is no summary, where one was wanted."""
    cut: int = 0
    """Longer texts in what stays are cut to so many characters; 0 leaves them whole."""
    artifacts: str = ""
    """The folder where what is cut is kept whole."""
    refused: int = 0
    """Tokens of the request that was too long for the service, if that is why."""


class TurnStarted(BaseEvent, tag="turn_started"):
    """The model is about to be asked."""

    turn: int

    @property
    def barrier(self) -> bool:
        return True


class SideRequestStarted(BaseEvent, tag="side_request_started"):
    """The model is about to be asked something beside the task's own conversation."""

    request_id: str
    purpose: str
    expected: Usage
    """An upper guess, for budgets to reserve."""

    @property
    def barrier(self) -> bool:
        return True


class SideRequestEnded(BaseEvent, tag="side_request_ended"):
    request_id: str
    purpose: str
    usage: Usage | None = None
    error: str = ""
    """Why nothing came of it."""


class TextDelta(BaseEvent, tag="text_delta"):
    durable = False
    text: str


class ReasoningDelta(BaseEvent, tag="reasoning_delta"):
    durable = False
    text: str


class ToolInputDelta(BaseEvent, tag="tool_input_delta"):
    """A piece of a call's input as the model writes it."""

    durable = False
    tool_use_id: str
    name: str
    partial_json: str


class RequestRetried(BaseEvent, tag="request_retried"):
    """A model call failed in a way that a repeat may mend, and will be repeated.

    Pieces of calls that it had sent are void.
    """

    attempt: int
    delay: float
    error: str
    kind: str


class ProviderSwitched(BaseEvent, tag="provider_switched"):
    """Another provider answers from now on; pieces of calls that came in this turn are void."""

    previous: str
    current: str
    error: str = ""
    """Why; empty where the first one is tried again."""
    kind: str = ""
    seconds: float = 0
    """How long the previous one is left alone."""


class ReplyRestarted(BaseEvent, tag="reply_restarted"):
    """Forget text and reasoning shown since `turn_started`: the repeat says something else."""

    durable = False


class ApprovalRequested(BaseEvent, tag="approval_requested"):
    call: ToolUseContent
    reason: str = ""
    rule: ApprovalRule | None = None
    """None where a yes can only be for this call."""


class ApprovalDecided(BaseEvent, tag="approval_decided"):
    """Whether a call may run, who said so and why. Asked once: a restart uses this answer."""

    tool_use_id: str
    approved: bool
    by: Literal["policy", "user", "mode"]
    reason: str = ""
    """The policy's reason, or the person's words to the model."""
    scope: ApprovalScope = "call"
    confined: bool = False
    """It may run only in a sandbox, in whichever process: that is why nobody was asked."""


class ToolStarted(BaseEvent, tag="tool_started"):
    call: ToolUseContent
    repeatable: bool = False
    """Whether the call may simply be made again if nobody knows how it ended."""

    @property
    def barrier(self) -> bool:
        return not self.repeatable


class ToolOutput(BaseEvent, tag="tool_output"):
    """Output of a running tool, as it comes."""

    durable = False
    tool_use_id: str
    text: str


class ToolFinished(BaseEvent, tag="tool_finished"):
    result: ToolResult


class Suggestion(Value):
    text: str
    mode: str | None = None


class ReachedLimit(Value):
    """A limit that a person set, and how much was used since they last agreed to go on."""

    kind: Literal["requests", "cost"]
    count: int | float


class QuestionAsked(BaseEvent, tag="question_asked"):
    tool_use_id: str
    question: str
    suggestions: tuple[Suggestion, ...] = ()
    answer_after: float | None = None
    """Seconds after which the first suggestion is the answer."""
    limit: ReachedLimit | None = None
    """Whether to go on beyond it is asked, and answered as an approval is."""
    is_relay: bool = False
    """The question is a prompt for a model elsewhere, and the answer is that model's reply."""
    running_call: str = ""
    """The call that waits for the answer while it runs; empty where the run is parked."""
    driver: int = 0
    """The token of the lease that such a call runs under: with that lease the call is gone."""

    @property
    def is_live(self) -> bool:
        return bool(self.running_call)

    def suggests(self, answer: str) -> bool:
        """Whether these are the model's words, put into the mouth of whoever answers."""
        return answer.strip() in [suggestion.text.strip() for suggestion in self.suggestions]


class QuestionAnswered(BaseEvent, tag="question_answered"):
    tool_use_id: str
    answer: str
    images: tuple[ImageContent, ...] = ()
    withdrawn: bool = False
    """Nobody answered, and nobody need any more: the call that asked has gone on or ended."""


class SubtaskStarted(BaseEvent, tag="subtask_started"):
    """A call is answered by another task, whose id and orders are fixed here, before it exists."""

    tool_use_id: str
    subtask_id: str
    prompt: str
    mode: str = "code"
    provider: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """The mode's own, without the key; empty: as the task that started it."""


class SubtaskEnded(BaseEvent, tag="subtask_ended"):
    tool_use_id: str
    subtask_id: str
    result: str
    is_error: bool = False


class Waiting(Value):
    """One thing a parked task waits for."""

    kind: Literal["approval", "question", "subtask", "relay", "limit"]
    tool_use_id: str


class RunParked(BaseEvent, tag="run_parked"):
    """Nothing runs until a command brings what is waited for."""

    waiting_for: tuple[Waiting, ...]


class RunCompleted(BaseEvent, tag="run_completed"):
    result: str


class RunFailed(BaseEvent, tag="run_failed"):
    error: str
    hint: str = ""
    kind: str = ""


class RunCancelled(BaseEvent, tag="run_cancelled"):
    reason: str = ""


RunEnded: TypeAlias = RunCompleted | RunFailed | RunCancelled

Event: TypeAlias = (
    TaskCreated
    | SpecChanged
    | MessageAdded
    | MentionsRead
    | EnvironmentTold
    | ModeSwitched
    | CondenseRequested
    | ContextCondensed
    | TurnStarted
    | SideRequestStarted
    | SideRequestEnded
    | TextDelta
    | ReasoningDelta
    | ToolInputDelta
    | RequestRetried
    | ProviderSwitched
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
    | RunCancelled
)


class EventRecord(Value):
    """An event as logged and sent.

    `seq` numbers what is stored and only grows, so a client can resume after it. An event that
    is not stored carries the number of the last one that is.
    """

    task_id: str
    seq: int
    at: datetime
    event: Event
