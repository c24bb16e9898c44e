"""What is inside the frames, and the two tables of what may be said: commands and events.

A new command or event is a row. Whatever comes in is checked against its row before anybody acts.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, NoReturn, TypeAlias

import msgspec
from msgspec import Raw, Struct, field

from roo_code.ipc.cline_message import (
    MessageChange,
    ModeName,
    QueuedMessage,
    RooValue,
    SlashCommand,
    TokenUsage,
    ToolName,
    ToolUsage,
)

_LONGEST_NAME = 60


class WireError(ValueError):
    """A frame that the protocol does not know; says what is wrong, and nothing of the content."""


class NewTask(RooValue):
    configuration: dict[str, Any]
    """Roo's settings; they may hold keys."""
    text: str
    images: tuple[str, ...] = ()
    """Data URIs."""
    new_tab: bool = False

    def __repr__(self) -> str:
        return f"NewTask(text={self.text!r})"


class Said(RooValue):
    text: str = ""
    images: tuple[str, ...] = ()


class EvaluationContext(RooValue):
    """What an evaluation knows of a task that it has started."""

    task_id: int
    """Its number in the evaluation's database."""
    roo_task_id: str
    run_id: int
    mcp_server: str
    user_intent: str
    otlp_endpoint: str | None = None


_NOTHING = Any
"""No data; some are sent all the same, and Roo's schema drops them."""

COMMANDS: dict[str, Any] = {
    "StartNewTask": NewTask,
    "CancelTask": _NOTHING,  # a task's id, if another than the current is meant
    "CloseTask": _NOTHING,
    "ResumeTask": str,
    "SendMessage": Said,
    "GetCommands": _NOTHING,
    "GetModes": _NOTHING,
    "GetModels": _NOTHING,
    "DeleteQueuedMessage": str,
    "SetTaskContext": EvaluationContext,
}
_WITHOUT_DATA = frozenset(name for name, kind in COMMANDS.items() if kind is _NOTHING)

EVENTS: dict[str, Any] = {
    **dict.fromkeys(
        (
            "taskCreated", "taskStarted", "taskAborted", "taskFocused", "taskUnfocused",
            "taskActive", "taskInteractive", "taskResumable", "taskIdle", "taskPaused",
            "taskUnpaused", "taskAskResponded",
        ),
        tuple[str],
    ),
    "taskSpawned": tuple[str, str],
    "taskDelegated": tuple[str, str],
    "taskDelegationCompleted": tuple[str, str, str],
    "taskDelegationResumed": tuple[str, str],
    "message": tuple[MessageChange],
    "taskModeSwitched": tuple[str, str],
    "queuedMessagesUpdated": tuple[str, list[QueuedMessage]],
    "taskToolFailed": tuple[str, ToolName, str],
    "taskTokenUsageUpdated": tuple[str, TokenUsage, ToolUsage],
    "taskCompleted": tuple[str, TokenUsage, ToolUsage, dict[str, bool]],
    "commandsResponse": tuple[list[SlashCommand]],
    "modesResponse": tuple[list[ModeName]],
    "modelsResponse": tuple[dict[str, dict[str, Any]]],
    "evalPass": None,
    "evalFail": None,
}  # fmt: skip
"""Event names and what their payloads are; None where there is none, and `task_id` must be."""


class TaskCommand(RooValue):
    """What a client asks for; `data` is what the name's row says."""

    command_name: str
    data: Any = None


class TaskEvent(RooValue):
    """What happened; `payload` is what the name's row says."""

    event_name: str
    payload: tuple[Any, ...] | None = None
    task_id: int | None = None
    """The number of an evaluation, not the id of the task."""

    @property
    def is_partial(self) -> bool:
        """Whether a later event says all of this again."""
        if self.event_name != "message" or self.payload is None:
            return False
        return self.payload[0].message.partial is True


class AckData(RooValue):
    """What a server says first of all."""

    client_id: str
    pid: int
    ppid: int


class Confirmation(RooValue):
    """The answer to SetTaskContext; Roo's own clients do not know it and drop it."""

    success: bool
    error: str | None = None


MessageType: TypeAlias = Literal["Ack", "TaskCommand", "TaskEvent", "TaskContextConfirmation"]
Origin: TypeAlias = Literal["client", "server"]


class IpcMessage(RooValue):
    """The content of one frame."""

    kind: MessageType = field(name="type")
    origin: Origin
    client_id: str | None = None
    """Of a command: who asks."""
    relay_client_id: str | None = None
    """Of an event that a host brings to a server of somebody else's: the host."""
    data: Any


_ABSENT = Raw(b"")


class _Frame(Struct):
    type: str
    data: Raw


class _Envelope(RooValue):
    kind: MessageType = field(name="type")
    origin: Origin
    client_id: str | None = None
    relay_client_id: str | None = None
    data: Raw


class _RawCommand(RooValue):
    command_name: str
    data: Raw = _ABSENT


class _RawEvent(RooValue):
    event_name: str
    payload: Raw = _ABSENT
    task_id: int | None = None


def read_message(frame: bytes) -> IpcMessage | None:
    """What a frame says, checked; None for a frame that is not of this protocol.

    Raises:
        WireError: It is of this protocol, and wrong.
    """
    try:
        outer = _decode(frame, _Frame)
        if outer.type != "message":
            return None
        envelope = _decode(outer.data, _Envelope)
        return IpcMessage(
            kind=envelope.kind,
            origin=envelope.origin,
            client_id=envelope.client_id,
            relay_client_id=envelope.relay_client_id,
            data=_data(envelope),
        )
    except WireError:
        raise
    except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, of types
        raise WireError(str(error)) from None  # the cause holds the text, and that may be a key


def _data(envelope: _Envelope) -> Any:
    match envelope.kind:
        case "Ack":
            return _decode(envelope.data, AckData)
        case "TaskCommand":
            if envelope.client_id is None:
                raise WireError("a TaskCommand has no clientId")
            return _command(_decode(envelope.data, _RawCommand))
        case "TaskEvent":
            return _event(_decode(envelope.data, _RawEvent))
        case "TaskContextConfirmation":
            return _decode(envelope.data, Confirmation)


def _command(raw: _RawCommand) -> TaskCommand:
    name = raw.command_name
    if name not in COMMANDS:
        _refuse_name("command", name)
    if raw.data == _ABSENT:
        if name not in _WITHOUT_DATA:
            raise WireError(f"the command {name} has no data")
        return TaskCommand(command_name=name)
    return TaskCommand(command_name=name, data=_decode(raw.data, COMMANDS[name]))


def _event(raw: _RawEvent) -> TaskEvent:
    name = raw.event_name
    if name not in EVENTS:
        _refuse_name("event", name)
    kind = EVENTS[name]
    is_empty = raw.payload == _ABSENT
    if is_empty != (kind is None):
        raise WireError(f"the event {name} has {'no' if kind else 'a'} payload")
    if kind is None and raw.task_id is None:
        raise WireError(f"the event {name} has no taskId")
    payload = None if is_empty else _decode(raw.payload, kind)
    return TaskEvent(event_name=name, payload=payload, task_id=raw.task_id)


def _refuse_name(what: str, name: str) -> NoReturn:
    raise WireError(f"there is no {what} {name[:_LONGEST_NAME]!r}")


def _decode(data: bytes | Raw, kind: Any) -> Any:
    return _decoder(kind).decode(data)


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)
