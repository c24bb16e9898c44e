"""IpcHost: what Roo's commands mean for the tasks of a host. It knows no socket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from roo_code.commands import CancelTask, StartTask, new_id
from roo_code.errors import ConfigError, RooCodeError, TaskNotFound, explain
from roo_code.events import EventRecord, SubtaskStarted, TaskSpec
from roo_code.ipc.cline_message import ModeName, SlashCommand
from roo_code.ipc.evaluation import load_context, save_context
from roo_code.ipc.images import from_data_uris
from roo_code.ipc.opened_task import OpenedTask, Pace
from roo_code.ipc.wire import Confirmation, EvaluationContext, NewTask, Said, TaskCommand, TaskEvent
from roo_code.task.host import TaskHost

_CLOSE_SECONDS = 15.0
_TELL_SECONDS = 2.0
_log = logging.getLogger(__name__)


class Asker(Protocol):
    """Who sent a command, for the few that are answered."""

    def send(self, event: TaskEvent) -> None: ...

    def confirm(self, confirmation: Confirmation) -> None: ...


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a host needs besides tasks, from whoever puts it together."""

    make_spec: Callable[[str, NewTask], TaskSpec]
    """For the task of this id; keys among the settings it keeps in memory, and nowhere else."""
    forget: Callable[[str], None] = lambda task_id: None
    """The task is closed: its keys are needed no more."""
    attend: Callable[[str], Awaitable[None]]
    """Stay with a task while it waits."""
    leave: Callable[[str], None]
    commands: Callable[[], list[SlashCommand]] = list
    modes: Callable[[], list[ModeName]] = list
    models: Callable[[], Awaitable[dict[str, dict[str, Any]]]]


class IpcHost:
    """Tasks stand in slots, side by side; the one begun or resumed last is the current one."""

    def __init__(
        self,
        host: TaskHost,
        around: Surroundings,
        publish: Callable[[TaskEvent], None],
        pace: Pace | None = None,
    ) -> None:
        self._host = host
        self._around = around
        self._publish = publish
        self._pace = pace or Pace()
        self._opened: dict[str, OpenedTask] = {}
        self._slots: dict[str, list[OpenedTask]] = {}
        """The task of each slot with its subtasks, by its id; the current slot is the last."""
        self._turn = asyncio.Lock()

    async def handle(self, command: TaskCommand, asker: Asker) -> None:
        """Do it. What cannot be done is in the log, and nowhere else: that is the protocol."""
        act = _ACTIONS[command.command_name]
        try:
            if command.command_name in _ANY_TIME:
                await act(self, command.data, asker)
                return
            async with self._turn:
                await act(self, command.data, asker)
        except RooCodeError as error:
            told = explain(error)
            _log.warning("%s was not done: %s %s", command.command_name, told, told.hint)

    def note(self, record: EventRecord) -> None:
        """A record of any task that is driven here: clients hear of that task from now on."""
        if record.task_id not in self._opened:
            self._open(record.task_id, quiet_until=record.seq - 1 if record.seq > 2 else 0)

    async def aclose(self) -> None:
        """The tasks go on, or stay as they are; what has happened by now is told."""
        with suppress(TimeoutError, RooCodeError):
            async with asyncio.timeout(_TELL_SECONDS):
                for opened in list(self._opened.values()):
                    await opened.catch_up()
        for opened in list(self._opened.values()):
            await opened.aclose()
        self._opened.clear()
        self._slots.clear()

    async def start(self, task: NewTask, asker: Asker) -> None:
        images = from_data_uris(task.images)
        if not task.text.strip() and not images:
            raise ConfigError("There is no text to begin with.")
        task_id = new_id()
        try:
            spec = await asyncio.to_thread(self._around.make_spec, task_id, task)
            if not task.new_tab and self._slots:
                await self._close_slot(next(reversed(self._slots)))
            await self._host.handle(StartTask(task_id=task_id, spec=spec.replace(images=images)))
        except RooCodeError:
            self._around.forget(task_id)
            raise
        self._open(task_id)
        await self._around.attend(task_id)

    async def cancel(self, task_id: object, asker: Asker) -> None:
        if (slot := self._slot(task_id)) is not None and not slot.is_over:
            await self._host.handle(CancelTask(task_id=slot.id, reason="Cancelled over IPC."))

    async def close(self, task_id: object, asker: Asker) -> None:
        if (slot := self._slot(task_id)) is not None:
            await self._close_slot(slot.id)

    async def resume(self, task_id: str, asker: Asker) -> None:
        """Open a task of before; it goes on when it is told something, as in Roo."""
        if opened := self._opened.get(task_id):
            if task_id in self._slots:
                self._slots[task_id] = self._slots.pop(task_id)  # the current one now
            self._tell("taskFocused", opened.id)
            return
        summary = await self._host.store.summary(task_id)
        is_driven = await self._host.store.is_driven(task_id)
        opened = self._open(task_id, quiet_until=summary.last_seq)
        self._tell("taskCreated", task_id)
        self._tell("taskFocused", task_id)
        if not is_driven:
            await opened.reopen()
        if summary.status == "parked":  # others may answer it, too
            await self._around.attend(task_id)

    async def say(self, said: Said, asker: Asker) -> None:
        text, images = said.text.strip(), from_data_uris(said.images)
        if not text and not images:
            return
        if (slot := self._slot(None)) is not None:
            family = self._slots[slot.id]
            speaks = next((task for task in reversed(family) if not task.is_over), slot)
            await speaks.say(text, images)

    async def unsay(self, message_id: str, asker: Asker) -> None:
        if not any(opened.unsay(message_id) for opened in self._opened.values()):
            _log.warning("there is no queued message %.60r", message_id)

    async def set_context(self, context: EvaluationContext, asker: Asker) -> None:
        artifacts = self._host.artifacts(context.roo_task_id)
        try:
            await self._host.store.summary(context.roo_task_id)  # says so if there is no such task
            await asyncio.to_thread(save_context, artifacts, context)
        except (RooCodeError, OSError) as error:
            asker.confirm(Confirmation(success=False, error=str(explain(error))))
            return
        if opened := self._opened.get(context.roo_task_id):
            opened.evaluation = context.task_id
        asker.confirm(Confirmation(success=True))

    async def list_commands(self, data: object, asker: Asker) -> None:
        asker.send(await _answered("commandsResponse", self._around.commands, []))

    async def list_modes(self, data: object, asker: Asker) -> None:
        asker.send(await _answered("modesResponse", self._around.modes, []))

    async def list_models(self, data: object, asker: Asker) -> None:
        try:
            models = await self._around.models()
        except RooCodeError as error:
            _log.warning("the models cannot be listed: %s", explain(error))
            models = {}
        asker.send(TaskEvent(event_name="modelsResponse", payload=(models,)))

    def _slot(self, task_id: object) -> OpenedTask | None:
        """The task of the slot meant: the current one, if none is named."""
        if isinstance(task_id, str) and task_id:
            if task_id not in self._slots:
                raise TaskNotFound(task_id)
            return self._opened[task_id]
        if not self._slots:
            _log.warning("there is no task that this could be for")
            return None
        return self._opened[next(reversed(self._slots))]

    def _open(self, task_id: str, *, quiet_until: int = 0, slot: str | None = None) -> OpenedTask:
        if known := self._opened.get(task_id):  # noted before whoever started it came to it
            return known
        opened = OpenedTask(task_id, self._host, self._publish, self._hear, self._pace)
        context = load_context(self._host.artifacts(task_id))
        opened.evaluation = context.task_id if context else None
        self._opened[task_id] = opened
        self._slots.setdefault(slot or task_id, []).append(opened)
        opened.follow(quiet_until)
        return opened

    def _hear(self, record: EventRecord) -> None:
        """Clients hear of subtasks too."""
        event = record.event
        if not isinstance(event, SubtaskStarted):
            return
        slot = next(
            id for id, tasks in self._slots.items() if self._opened[record.task_id] in tasks
        )
        child = self._opened.get(event.subtask_id)
        if child is None:
            self._open(event.subtask_id, slot=slot)
        elif child.id in self._slots and child.id != slot:  # noted before its parent said so
            self._slots[slot] += self._slots.pop(child.id)

    async def _close_slot(self, task_id: str) -> None:
        """End the task and let go of all it holds."""
        root = self._opened[task_id]
        self._tell("taskUnfocused", task_id)
        if not root.is_over:
            await self._host.handle(CancelTask(task_id=task_id, reason="Closed over IPC."))
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await root.until_over()
        for opened in self._slots.pop(task_id, []):
            self._around.leave(opened.id)
            self._opened.pop(opened.id, None)
            await opened.aclose()
        self._around.forget(task_id)

    def _tell(self, name: str, task_id: str) -> None:
        self._publish(TaskEvent(event_name=name, payload=(task_id,)))


async def _answered(name: str, found: Callable[[], Any], otherwise: Any) -> TaskEvent:
    """An error is an empty answer: the protocol has no other."""
    try:
        answer = await asyncio.to_thread(found)
    except RooCodeError as error:
        _log.warning("%s is empty: %s", name, explain(error))
        answer = otherwise
    return TaskEvent(event_name=name, payload=(answer,))


_Action: TypeAlias = Callable[[IpcHost, Any, Asker], Awaitable[None]]
_ACTIONS: Mapping[str, _Action] = {
    "StartNewTask": IpcHost.start,
    "CancelTask": IpcHost.cancel,
    "CloseTask": IpcHost.close,
    "ResumeTask": IpcHost.resume,
    "SendMessage": IpcHost.say,
    "DeleteQueuedMessage": IpcHost.unsay,
    "GetCommands": IpcHost.list_commands,
    "GetModes": IpcHost.list_modes,
    "GetModels": IpcHost.list_models,
    "SetTaskContext": IpcHost.set_context,
}
"""A row for each command of `wire.COMMANDS`."""
_ANY_TIME = frozenset({"GetCommands", "GetModes", "GetModels"})
"""The others happen one after the other, whoever sends them."""
