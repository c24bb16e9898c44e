"""The course of `roo [PROMPT]`: open a task, run it, hear what the user says next."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from msgspec import Struct

from roo_code.cli.conversation import Conversation, Pause
from roo_code.cli.ending import Ending
from roo_code.cli.interrupts import INTERRUPTED, TERMINATED
from roo_code.cli.screen import Screen
from roo_code.cli.session import Opener, Opening, completion
from roo_code.cli.terminal_input import TerminalInput
from roo_code.commands import CancelTask, Command, SendMessage
from roo_code.events import EventRecord, RunCompleted, RunParked, TaskSpec
from roo_code.execution.local import LocalExecutor
from roo_code.task.host import TaskHost

_CANCEL_SECONDS = 15.0
_FAREWELLS = ("exit", "quit", "/exit", "/quit")


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a talk is held with."""

    host: TaskHost
    executor: LocalExecutor
    conversation: Conversation
    screen: Screen
    ending: Ending
    input: TerminalInput | None
    """Where the user types the next message; None if nobody will."""
    recorded: Callable[[str], str | None] = lambda task_id: None
    """What the user said next when the task was recorded."""


class Talk:
    def __init__(self, around: Surroundings, opener: Opener, *, oneshot: bool = False) -> None:
        self._around = around
        self._opener = opener
        self._oneshot = oneshot
        """Whether one run is all."""
        self._is_running = False
        self._told_how_to_leave = False

    async def start(self, spec: TaskSpec) -> int:
        """A new task. Without a prompt the user is asked for one."""
        if not spec.prompt:
            prompt = await self._next_message()
            if prompt is None:
                return 0
            spec = spec.replace(prompt=prompt)
        return await self._go_on(self._opener.start(spec))

    async def resume(self, prompt: str | None) -> int:
        around = self._around
        opening = await self._opener.resume(around.host.store, prompt)
        if around.input is not None:
            shown = around.screen.style.cut(f"Resuming: {opening.title}")
            around.screen.notice(around.screen.style.dim(shown))
        if opening.is_driven:
            around.screen.notice("Another process drives this task; this one follows it.")
            if around.input is None:
                around.conversation.leave_asks()
        return await self._go_on(opening)

    async def _go_on(self, opening: Opening) -> int:
        conversation = self._around.conversation
        conversation.begin(opening.task_id, opening.before, opening.after)
        unsent: tuple[Command, ...] = ()
        if done := completion(opening):
            pause, unsent = self._repeat(done), opening.commands
        else:
            pause = await self._open(opening)
        while not self._oneshot and not isinstance(pause, RunParked):
            message = await self._next_message()
            if message is None:
                break
            self._is_running = True
            await conversation.send(SendMessage(task_id=opening.task_id, text=message), *unsent)
            pause, unsent = await self._run(), ()
        return 0 if isinstance(pause, RunCompleted) else 1

    async def _open(self, opening: Opening) -> Pause:
        self._is_running = True
        if opening.commands:
            await self._around.conversation.send(*opening.commands)
        await self._around.executor.attend(opening.task_id)
        if opening.status == "parked":
            self._around.conversation.look_for_asks(opening.answered)
        return await self._run()

    def _repeat(self, done: EventRecord) -> Pause:
        around = self._around
        around.conversation.repeat(done)
        around.conversation.close()
        assert isinstance(done.event, RunCompleted)
        if around.input is None:
            around.screen.notice(
                "The task was completed before; to say more: "
                f'roo --session-id {done.task_id} "PROMPT"'
            )
        return done.event

    async def _run(self) -> Pause:
        around = self._around
        pause = await around.conversation.run()
        self._is_running = isinstance(pause, RunParked)
        around.conversation.close()
        await around.ending.tell(pause, around.conversation.report, around.host.store)
        return pause

    async def _next_message(self) -> str | None:
        """None when the user has said all."""
        around = self._around
        if (said := around.recorded(around.conversation.task_id)) is not None:
            if around.input is not None:
                around.screen.write([around.screen.style.bold("> "), said, "\n"])
            return said
        if around.input is None:
            return None
        if not self._told_how_to_leave:
            self._told_how_to_leave = True
            around.screen.notice(around.screen.style.dim("Say what to do, or exit."))
        while True:
            around.screen.write([around.screen.style.bold("> ")])
            said = await around.input.lines()
            if said is None:
                around.screen.write(["\n"])
                return None
            if said.strip() in _FAREWELLS:
                return None
            if said.strip():
                return said

    async def stop(self, received: signal.Signals) -> int:
        """After a signal: SIGTERM leaves the task as it is, Ctrl-C cancels it."""
        around = self._around
        task_id = around.conversation.task_id if around.conversation.is_stored else ""
        if received == signal.SIGTERM:
            around.ending.tell_resume("Stopped.", task_id)
        elif not self._is_running:
            around.ending.tell_resume("", task_id)
        elif await around.executor.is_driven_elsewhere(task_id):
            around.screen.notice(
                "Stopped watching; another process goes on with the task. "
                f"Cancel it with: roo tasks cancel {task_id}"
            )
        else:
            await self._cancel(task_id)
        around.conversation.close()
        return TERMINATED if received == signal.SIGTERM else INTERRUPTED

    async def _cancel(self, task_id: str) -> None:
        around = self._around
        await around.host.handle(CancelTask(task_id=task_id, reason="The user pressed Ctrl-C."))
        try:
            async with asyncio.timeout(_CANCEL_SECONDS):
                await around.conversation.run_to_end()
        except TimeoutError:
            around.ending.tell_resume("The task did not stop in time; it is as it was.", task_id)
        else:
            around.ending.tell_resume("Cancelled.", task_id)
