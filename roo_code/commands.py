"""What anyone may ask of a task. Key presses, REST, IPC and ACP messages all become these."""

from __future__ import annotations

from typing import TypeAlias
from uuid import uuid4

from msgspec import field

from roo_code.approval_values import ApprovalScope
from roo_code.events import TaskSpec
from roo_code.messages import ImageContent
from roo_code.values import Value


def new_id() -> str:
    return str(uuid4())


class BaseCommand(Value, forbid_unknown_fields=True):
    task_id: str
    command_id: str = field(default_factory=new_id)
    """Chosen by the caller, so that a repeat after a lost reply is harmless."""


class StartTask(BaseCommand, tag="start_task"):
    task_id: str = field(default_factory=new_id)
    """Chosen by the caller: no reply is needed to know it, and a repeat is harmless."""
    spec: TaskSpec


class SendMessage(BaseCommand, tag="send_message"):
    """Say something to a task; one that has ended goes on."""

    text: str
    images: tuple[ImageContent, ...] = ()


class RespondToApproval(BaseCommand, tag="respond_to_approval"):
    tool_use_id: str
    approved: bool
    feedback: str = ""
    scope: ApprovalScope = "call"


class AnswerQuestion(BaseCommand, tag="answer_question"):
    tool_use_id: str
    answer: str
    images: tuple[ImageContent, ...] = ()


class ReportSubtask(BaseCommand, tag="report_subtask"):
    """A subtask tells its parent how it ended."""

    tool_use_id: str
    subtask_id: str
    result: str
    is_error: bool = False


class ResumeTask(BaseCommand, tag="resume_task"):
    """Drive on from where the log ends, perhaps with other settings."""

    spec: TaskSpec | None = None


class SwitchMode(BaseCommand, tag="switch_mode"):
    """Go on in another mode from the next request on."""

    mode: str


class CondenseContext(BaseCommand, tag="condense_context"):
    """Make the history shorter now, whether it still fits or not."""


class CancelTask(BaseCommand, tag="cancel_task"):
    reason: str = ""


Command: TypeAlias = (
    StartTask
    | SendMessage
    | RespondToApproval
    | AnswerQuestion
    | ReportSubtask
    | ResumeTask
    | SwitchMode
    | CondenseContext
    | CancelTask
)
