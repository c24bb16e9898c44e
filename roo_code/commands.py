"""What anyone may ask of a task. Key presses, REST, IPC and ACP messages all become these."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias
from uuid import uuid4

from pydantic import ConfigDict, Field

from roo_code.events import TaskSpec
from roo_code.messages import ImageContent, Value


def new_id() -> str:
    return str(uuid4())


class BaseCommand(Value):
    model_config = ConfigDict(extra="forbid")

    task_id: str
    command_id: str = Field(default_factory=new_id)
    """Chosen by the caller, so that a repeat after a lost reply is harmless."""


class StartTask(BaseCommand):
    type: Literal["start_task"] = "start_task"
    task_id: str = Field(default_factory=new_id)
    """Chosen by the caller: no reply is needed to know it, and a repeat is harmless."""
    spec: TaskSpec


class SendMessage(BaseCommand):
    """Say something to a task; one that has ended goes on."""

    type: Literal["send_message"] = "send_message"
    text: str
    images: tuple[ImageContent, ...] = ()


class RespondToApproval(BaseCommand):
    type: Literal["respond_to_approval"] = "respond_to_approval"
    tool_use_id: str
    approved: bool
    feedback: str = ""


class AnswerQuestion(BaseCommand):
    type: Literal["answer_question"] = "answer_question"
    tool_use_id: str
    answer: str
    images: tuple[ImageContent, ...] = ()


class ReportSubtask(BaseCommand):
    """A subtask tells its parent how it ended."""

    type: Literal["report_subtask"] = "report_subtask"
    tool_use_id: str
    subtask_id: str
    result: str
    is_error: bool = False


class ResumeTask(BaseCommand):
    """Drive on from where the log ends, perhaps with other settings."""

    type: Literal["resume_task"] = "resume_task"
    spec: TaskSpec | None = None


class CancelTask(BaseCommand):
    type: Literal["cancel_task"] = "cancel_task"
    reason: str = ""


Command: TypeAlias = Annotated[
    StartTask
    | SendMessage
    | RespondToApproval
    | AnswerQuestion
    | ReportSubtask
    | ResumeTask
    | CancelTask,
    Field(discriminator="type"),
]
