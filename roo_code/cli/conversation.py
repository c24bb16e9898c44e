"""One task at one screen: shows what happens, and sees that what is asked gets answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from roo_code.approval_values import ApprovalRule
from roo_code.cli.answers import Answers, NoAnswers
from roo_code.cli.renderer import Renderer
from roo_code.cli.report import RunReport
from roo_code.cli.screen import Screen
from roo_code.commands import Command, RespondToApproval
from roo_code.errors import TaskNotFound
from roo_code.events import (
    ApprovalDecided,
    Event,
    EventRecord,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SubtaskStarted,
)
from roo_code.task.asks import Ask, may_ask, open_asks
from roo_code.task.host import TaskHost
from roo_code.task.watch import Watch

Pause: TypeAlias = RunCompleted | RunFailed | RunCancelled | RunParked


class Conversation:
    def __init__(
        self, host: TaskHost, watch: Watch, screen: Screen, renderer: Renderer, answers: Answers
    ) -> None:
        self._host = host
        self._watch = watch
        self._screen = screen
        self._renderer = renderer
        self._answers = answers
        self._parked: list[str] = []
        """Tasks, this one and those below it, that may have something to ask."""
        self._asking: asyncio.Task[bool] | None = None
        self._asked_now: tuple[str, str] | None = None
        self._answered: set[tuple[str, str]] = set()
        """Task and call: calls of different tasks may have the same id."""
        self._agreed: list[tuple[str, ApprovalRule | None]] = []
        """Task and rule: what it covers is answered by the task itself."""
        self._is_closed = True
        self.task_id = ""
        self.is_stored = False
        """Whether there is a task to come back to."""
        self.report = RunReport()

    def begin(self, task_id: str, before: Sequence[EventRecord], after: int) -> None:
        """Follow the task from `after` on; `before` is what later records may refer to."""
        self.task_id = task_id
        self.is_stored = bool(before)
        for record in before:
            self._renderer.remember(record)
            self.report.remember(record)
        self._screen.write(self._renderer.begin(task_id))
        self._is_closed = False
        self._watch.add(task_id, after)

    async def send(self, *commands: Command) -> None:
        """All of them are in the inbox before the task is woken, so that it sees them at once."""
        *first, last = commands
        for command in first:
            await self._host.store.send(command)
        await self._host.handle(last)
        self.is_stored = True

    async def run(self) -> Pause:
        """Until the task has ended, or waits for something that nobody here will answer."""
        self.report = self.report.next_run(self.task_id)
        self._is_closed = False
        self._screen.waits_for("Waiting")
        try:
            async with self._screen.spinning():
                while True:
                    pause = await self._step()
                    if pause is not None:
                        return pause
        finally:
            await self._stop_asking()
            self._screen.waits_for(None)

    async def run_to_end(self) -> Pause:
        """As `run`, but nothing asked on the way is answered."""
        while True:
            record = await self._watch.next()
            if record is not None:
                self._show(record)
                event = record.event
                is_end = isinstance(event, RunCompleted | RunFailed | RunCancelled)
                if is_end and record.task_id == self.task_id:
                    return event

    def repeat(self, record: EventRecord) -> None:
        """Show again how the task ended."""
        self.report.note(record)
        self._screen.write(self._renderer.show(record))

    def close(self) -> None:
        """What the format says at the end of a run, once."""
        if not self._is_closed:
            self._is_closed = True
            self._screen.write(self._renderer.end(self.report))

    def leave_asks(self) -> None:
        """Whoever drives the task sees to its questions."""
        self._answers = NoAnswers()

    def look_for_asks(self, answered: Sequence[str] = ()) -> None:
        """Answer what was left open by an earlier run; `answered` is being answered already."""
        self._answered.update((self.task_id, call_id) for call_id in answered)
        self._start_asking(self.task_id)

    async def _step(self) -> Pause | None:
        record = await self._watch.next()
        if record is not None:
            self._show(record)
            event = record.event
            if isinstance(event, RunCompleted | RunFailed | RunCancelled):
                if record.task_id == self.task_id:
                    return event
            elif isinstance(event, ApprovalDecided | QuestionAnswered):
                await self._note_answer(record.task_id, event)
            elif may_ask(event) and not self._waits_elsewhere(event):
                self._start_asking(record.task_id)
        return self._left_open()

    def _waits_elsewhere(self, event: Event) -> bool:
        """A call goes on running, and nobody here would answer it: that does not end the run."""
        return isinstance(event, QuestionAsked) and isinstance(self._answers, NoAnswers)

    def _left_open(self) -> RunParked | None:
        """The pause that nobody here will end, if there is one."""
        if self._asking is None or not self._asking.done():
            return None
        all_answered, self._asking = self._asking.result(), None
        if not all_answered:
            return RunParked(waiting_for=())
        if self._parked:  # one came when the last was just answered
            self._start_asking(self._parked.pop())
        return None

    def _show(self, record: EventRecord) -> None:
        self.report.note(record)
        self._screen.write(self._renderer.show(record))
        self._screen.waits_for(self._renderer.activity)

    def _start_asking(self, task_id: str) -> None:
        self._parked.append(task_id)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(lambda _: self._watch.wake())

    async def _ask(self) -> bool:
        """One thing after the other; False if something is left open."""
        while self._parked:
            task_id = self._parked.pop(0)
            told = await self._host.store.inbox(task_id)
            for ask in await open_asks(self._host.store, task_id):
                if isinstance(ask.about, SubtaskStarted):
                    await self._look_below(ask.about.subtask_id)
                    continue
                if (task_id, ask.id) in self._answered or (task_id, ask.rule) in self._agreed:
                    continue
                if any(getattr(command, "tool_use_id", "") == ask.id for command in told):
                    continue  # answered while nobody drove the task
                self._asked_now = (task_id, ask.id)
                if not await self._answer(task_id, ask):
                    return False
        return True

    async def _look_below(self, subtask_id: str) -> None:
        """A subtask that was begun in an earlier run may wait for an answer as well."""
        try:
            last = (await self._host.store.summary(subtask_id)).last_seq
        except TaskNotFound:
            last = 0
        self._watch.add(subtask_id, last)
        self._parked.append(subtask_id)

    async def _answer(self, task_id: str, ask: Ask) -> bool:
        command = await self._answers.answer(task_id, ask)
        if command is None:
            return False
        self._answered.add((task_id, ask.id))
        if ask.rule and isinstance(command, RespondToApproval) and command.scope != "call":
            self._agreed.append((task_id, ask.rule))
        self._asked_now = None
        await self._host.handle(command)
        return True

    async def _note_answer(self, task_id: str, answer: ApprovalDecided | QuestionAnswered) -> None:
        """Somebody elsewhere was faster: what is left open is asked when the task parks again."""
        if self._asked_now == (task_id, answer.tool_use_id):
            await self._stop_asking()
            self._screen.write([f"\n({self._told_of(answer)})\n"])

    def _told_of(self, answer: ApprovalDecided | QuestionAnswered) -> str:
        if not isinstance(answer, QuestionAnswered):
            return "answered elsewhere"
        said = self._screen.style.cut(answer.answer, 12)
        return "no longer asked" if answer.withdrawn else f"answered: {said}"

    async def _stop_asking(self) -> None:
        if self._asking is not None:
            asking, self._asking = self._asking, None
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            self._asked_now = None
