"""Task: one driver's hold on one task, from taking the lease to ending or parking."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from msgspec import Struct

from roo_code.agent import Agent
from roo_code.commands import AnswerQuestion, CancelTask, Command, ResumeTask
from roo_code.errors import BudgetExceeded, LeaseLost, RooCodeError, StoreUnavailable, explain
from roo_code.events import (
    CondenseRequested,
    Event,
    EventRecord,
    ModeSwitched,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunEnded,
    RunFailed,
    RunParked,
    SpecChanged,
    SubtaskStarted,
    TaskCreated,
    TaskSpec,
)
from roo_code.history import History, PendingCall
from roo_code.task.budget import Budget
from roo_code.task.intake import Intake, events_for
from roo_code.task.log import EventLog
from roo_code.task.store import Lease, TaskStore
from roo_code.tool_resources import TaskResources

_PAGE = 500
_STEERS = (ModeSwitched, CondenseRequested)
"""What may come after the end of a run without being the start of another."""
_Work = Callable[[Agent], AsyncGenerator[Event]]
_log = logging.getLogger(__name__)


class TaskSetup(Struct, frozen=True):
    """What an agent for a task is made from."""

    task_id: str
    spec: TaskSpec
    history: History
    resources: TaskResources
    """What the task's tools keep open, from one drive to the next."""


CreateAgent = Callable[[TaskSetup], Agent]


class Task:
    """Load the log, run the loop, store what happens, take commands at the right moments."""

    def __init__(
        self,
        store: TaskStore,
        lease: Lease,
        create_agent: CreateAgent,
        publish: Callable[[EventRecord], None],
        resources: TaskResources,
    ) -> None:
        self._store = store
        self._lease = lease
        self._create_agent = create_agent
        self._publish = publish
        self._resources = resources
        self._history = History()
        self._wake = asyncio.Event()
        self._cancel: CancelTask | None = None
        self._agent: Agent | None = None
        """While it runs."""
        self._heard: dict[str, str] = {}
        """Answers that running calls go on with, by question, as commands that are still to be
        consumed."""
        self._is_cut_off = False
        """Whether the last driver stopped in the middle."""
        self.left_waiting: set[str] = set()
        """Commands seen that cannot be answered yet."""

    @property
    def id(self) -> str:
        return self._lease.task_id

    def wake(self) -> None:
        """A command was sent from this process: look now, not at the next poll."""
        self._wake.set()

    async def drive(self) -> None:
        """Run until the task has ended or waits for a command. Safe to call at any state."""
        spec, last = await self._load()
        await self._store.ledger.settle_abandoned(self.id)
        log = EventLog(self._store, self._lease, last.seq, self._publish)
        resume = self._is_cut_off
        try:
            while True:
                intake = await self._take(log)
                resume = resume or (intake.resume and self._can_resume())
                spec = intake.spec or spec
                if intake.cancel is not None:
                    self._end(log, RunCancelled(reason=intake.cancel.reason), intake.cancel)
                elif resume or intake.changed:
                    await self._run(log, spec, Agent.iter)
                elif intake.condense and self._can_condense():
                    await self._condense(log, spec)
                else:
                    return
                resume = False
                await log.flush()
        finally:
            await log.flush()

    @property
    def subtasks(self) -> tuple[SubtaskStarted, ...]:
        """The subtasks the run is parked on."""
        deferred = (call.deferred for call in self._history.pending.values() if call.waiting_for)
        return tuple(event for event in deferred if isinstance(event, SubtaskStarted))

    @property
    def pending(self) -> tuple[PendingCall, ...]:
        """The calls that a parked run has not answered."""
        return tuple(self._history.pending.values()) if self._history.ended is None else ()

    def _can_resume(self) -> bool:
        """Not what is done already, nor what waits for an answer."""
        parked = self._history.ended is None and self._history.waiting_for
        return not parked and not isinstance(self._history.ended, RunCompleted)

    def _can_condense(self) -> bool:
        """Not while calls are open: then it is done before the next request."""
        history = self._history
        return history.condense_requested and not history.pending and not history.waiting_for

    async def _condense(self, log: EventLog, spec: TaskSpec) -> None:
        """Nothing else happens, and the task is as ended as it was."""
        ended = self._history.ended
        await self._run(log, spec, Agent.condense)
        if ended is not None:
            self._append(log, ended)

    @property
    def ended(self) -> RunCompleted | RunFailed | RunCancelled | None:
        return self._history.ended

    async def _load(self) -> tuple[TaskSpec, EventRecord]:
        spec: TaskSpec | None = None
        last: EventRecord | None = None
        while page := await self._store.read(self.id, last.seq if last else 0, _PAGE):
            for record in page:
                self._history.apply(record.event)
                if isinstance(record.event, TaskCreated | SpecChanged):
                    spec = record.event.spec
                if not isinstance(record.event, _STEERS):
                    self._is_cut_off = not isinstance(record.event, RunParked | RunEnded)
            last = page[-1]
        assert spec is not None, "a log begins with task_created"
        assert last is not None
        return spec, last

    async def _take(self, log: EventLog) -> Intake:
        """Turn the commands that can be answered now into events."""
        commands = await self._store.inbox(self.id)
        intake = events_for(commands, self._history)
        for command, event in intake.accepted:
            self._append(log, event, command)
        if intake.ignored:
            log.consume([command.command_id for command in intake.ignored])
        done = [*intake.ignored, *(command for command, _ in intake.accepted)]
        self.left_waiting = {c.command_id for c in commands} - {c.command_id for c in done}
        await log.flush()  # what was asked is on disk before it is acted on
        return intake

    def _append(self, log: EventLog, event: Event, command: Command | None = None) -> None:
        self._history.apply(event)
        log.append(event, [command.command_id] if command else ())

    def _end(
        self, log: EventLog, event: RunFailed | RunCancelled, command: Command | None = None
    ) -> None:
        if command is None or self._history.ended is None:
            self._append(log, event, command)
        else:
            log.consume([command.command_id])

    async def _run(self, log: EventLog, spec: TaskSpec, work: _Work) -> None:
        """One run of the agent, watched for a cancel; however it ends, the log says so."""
        self._cancel = None
        running = asyncio.create_task(self._follow_agent(log, spec, work))
        watching = asyncio.create_task(self._watch(running, log))
        try:
            await running
        except asyncio.CancelledError:
            if self._cancel is None:  # this process shuts down: the task stays as it is
                raise
            self._end(log, RunCancelled(reason=self._cancel.reason), self._cancel)
        except (LeaseLost, StoreUnavailable):
            raise  # nothing can be written any more
        except RooCodeError as error:
            self._fail(log, error)
        except Exception as error:  # noqa: BLE001 - the task runner: a bug must not lose the task
            _log.exception("task %s failed", self.id)
            self._fail(log, error)
        finally:
            watching.cancel()
            if not running.done():
                running.cancel()
            await asyncio.gather(running, watching, return_exceptions=True)

    def _fail(self, log: EventLog, error: Exception) -> None:
        shown = explain(error)
        self._end(log, RunFailed(error=str(shown), hint=shown.hint, kind=shown.kind))

    async def _follow_agent(self, log: EventLog, spec: TaskSpec, work: _Work) -> None:
        agent = self._create_agent(TaskSetup(self.id, spec, self._history, self._resources))
        budget = Budget(self._store.ledger, self.id, agent)
        self._agent, self._heard = agent, {}
        started = time.monotonic()
        seconds_left = await self._store.ledger.seconds_left(self.id)
        try:
            async with asyncio.timeout(seconds_left), aclosing(work(agent)) as events:
                async for event in events:
                    await budget.note(event)
                    answered = self._answered_by(event)
                    log.append(self._marked(event), answered)
                    if event.barrier or answered:
                        await log.flush()
                    if not self._history.pending and self._history.ended is None:
                        await self._take_messages(log)
        except TimeoutError as error:
            if seconds_left is None or time.monotonic() - started < seconds_left:
                raise
            raise BudgetExceeded("The task has used up its time.") from error
        finally:
            self._agent = None
            await budget.close(time.monotonic() - started)
            await agent.client.aclose()

    def _marked(self, event: Event) -> Event:
        """A running call's question with our lease: once that is another's, the call is gone."""
        if isinstance(event, QuestionAsked) and event.is_live:
            return event.replace(driver=self._lease.token)
        return event

    def _answered_by(self, event: Event) -> list[str]:
        """The command that the event comes of."""
        heard = isinstance(event, QuestionAnswered) and self._heard.pop(event.tool_use_id, None)
        return [heard] if heard else []

    def _pass_on(self, command: Command) -> None:
        """Give a running call the answer that it waits for; any other is sorted later."""
        is_known = command.command_id in self._heard.values()
        if self._agent is None or not isinstance(command, AnswerQuestion) or is_known:
            return
        answer = QuestionAnswered(
            tool_use_id=command.tool_use_id, answer=command.answer, images=command.images
        )
        if self._agent.hear(answer):
            self._heard[command.tool_use_id] = command.command_id

    async def _take_messages(self, log: EventLog) -> None:
        """What the user said meanwhile is heard before the model is asked again."""
        if self._wake.is_set():
            self._wake.clear()
            for command, event in events_for(
                await self._store.inbox(self.id), self._history
            ).messages:
                self._append(log, event, command)

    async def _watch(self, running: asyncio.Task[None], log: EventLog) -> None:
        """Look for a cancel and for answers, wherever sent from, and hear of new messages."""
        mark = -1
        while True:
            if (newest := await self._store.change_mark()) != mark or self._wake.is_set():
                mark = newest
                commands = await self._store.inbox(self.id)
                if cancel := _first_cancel(commands):
                    self._cancel = cancel
                    running.cancel()
                    return
                for command in commands:
                    self._pass_on(command)
                if moot := [c.command_id for c in commands if _is_moot(c)]:
                    log.consume(moot)
                if commands:
                    self._wake.set()
            await asyncio.sleep(0.1)


def _first_cancel(commands: Sequence[Command]) -> CancelTask | None:
    return next((command for command in commands if isinstance(command, CancelTask)), None)


def _is_moot(command: Command) -> bool:
    """To go on as before is what a running task does anyway."""
    return isinstance(command, ResumeTask) and command.spec is None
