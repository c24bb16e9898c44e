"""The host's tasks, for a client that runs Roo as a helper of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from roo_code.commands import (
    AnswerQuestion,
    CancelTask,
    RespondToApproval,
    SendMessage,
    StartTask,
    SwitchMode,
    new_id,
)
from roo_code.errors import TaskNotFound, ToolError, explain
from roo_code.events import (
    ApprovalRequested,
    Event,
    MessageAdded,
    ModeSwitched,
    QuestionAsked,
    RunCompleted,
    RunEnded,
    RunFailed,
    SubtaskStarted,
    TaskSpec,
    ToolStarted,
)
from roo_code.history import History
from roo_code.messages import Message, ToolResult
from roo_code.task.asks import Ask, may_ask, open_asks
from roo_code.task.host import TaskHost
from roo_code.task.store import ENDED, TaskQuery, TaskSummary
from roo_code.task.watch import Watch

MOST_LISTED = 50
_PAGE = 500


class NewTask(NamedTuple):
    prompt: str
    mode: str = "code"
    workspace: str = ""
    images: tuple[str, ...] = ()
    """Data URIs."""


class HostedTasks:
    """Start, watch, answer, cancel; nothing of a task depends on the client's staying."""

    def __init__(
        self,
        host: TaskHost,
        make_spec: Callable[[NewTask], TaskSpec],
        attend: Callable[[str], Awaitable[None]],
        failure: Callable[[str], BaseException | None] = lambda task_id: None,
    ) -> None:
        self._host = host
        self._make_spec = make_spec
        self._attend = attend
        """Have a task driven here, also if it was left by another process."""
        self._failure = failure
        """Why this process could not drive a task, if so."""

    async def start(self, task: NewTask, task_id: str = "") -> str:
        id = task_id or new_id()
        spec = await asyncio.to_thread(self._make_spec, task)  # it reads settings and keys
        await self._host.handle(StartTask(task_id=id, spec=spec))
        return id

    async def listed(self, workspace: str) -> Sequence[TaskSummary]:
        return await self._host.tasks(TaskQuery(workspace=workspace, limit=MOST_LISTED))

    async def state(self, task_id: str) -> dict[str, Any]:
        """Where the task stands: its status, its result or error, and what it waits for."""
        summary = await self._host.store.summary(task_id)
        told: dict[str, Any] = {"task_id": task_id, "status": summary.status, "mode": summary.mode}
        last = (await self._host.store.tail(task_id, 1))[-1].event
        if isinstance(last, RunCompleted):
            told["result"] = last.result
        elif isinstance(last, RunFailed):
            told["error"] = f"{last.error} {last.hint}".strip()
        elif (failure := self._failure(task_id)) is not None:
            told["error"] = f"This server could not drive it: {explain(failure)}"
        waiting = [_shown(id, ask) for id, ask in await self._asks(task_id)]
        return {**told, "waiting_for": waiting} if waiting else told

    async def watch(
        self, task_id: str, seconds: float, progress: Callable[[str], None]
    ) -> dict[str, Any]:
        """Until it has ended or waits for an answer, or the time is over; then where it stands."""
        summary = await self._host.store.summary(task_id)
        if summary.status not in ENDED and not await self._asks(task_id):
            await self._attend(task_id)
            try:
                async with asyncio.timeout(seconds):
                    await self._follow(task_id, summary.last_seq, progress)
            except TimeoutError:
                pass
        return await self.state(task_id)

    async def answer(
        self, task_id: str, text: str, approved: bool | None
    ) -> Literal["answered", "told"]:
        """Answer what it asks; if it asks nothing, say something to it."""
        await self._host.store.summary(task_id)
        for id, ask in await self._asks(task_id):
            await self._attend(id)
            if ask.wants_decision:
                if approved is None:
                    raise ToolError("It waits for an approval: give approved, true or false.")
                await self._host.handle(
                    RespondToApproval(
                        task_id=id, tool_use_id=ask.id, approved=approved, feedback=text
                    )
                )
            else:
                await self._host.handle(AnswerQuestion(task_id=id, tool_use_id=ask.id, answer=text))
            return "answered"
        if not text:
            raise ToolError("It waits for nothing; give a text to say to it.")
        await self._host.handle(SendMessage(task_id=task_id, text=text))
        return "told"

    async def cancel(self, task_id: str, reason: str) -> None:
        await self._host.store.summary(task_id)
        await self._host.handle(CancelTask(task_id=task_id, reason=reason))

    async def switch_mode(self, task_id: str, mode: str) -> None:
        """If the task is the host's; the one that a session begins with is not."""
        with suppress(TaskNotFound):
            await self._host.handle(SwitchMode(task_id=task_id, mode=mode))

    async def transcript(self, task_id: str) -> str:
        """The conversation as a page to read."""
        await self._host.store.summary(task_id)
        history = History()
        seq = 0
        while page := await self._host.store.read(task_id, seq, _PAGE):
            for record in page:
                history.apply(record.event)
            seq = page[-1].seq
        return "\n\n".join(text for m in history.messages if (text := _page(m)))

    async def _asks(self, task_id: str) -> list[tuple[str, Ask]]:
        """What it, or a subtask that it waits for, asks of a person."""
        found: list[tuple[str, Ask]] = []
        waiting = [task_id]
        while waiting:
            id = waiting.pop(0)
            sent = await self._host.store.inbox(id)
            if any(isinstance(command, CancelTask) for command in sent):
                continue  # it is about to end
            answered = {getattr(command, "tool_use_id", "") for command in sent}
            for ask in await open_asks(self._host.store, id):
                if ask.id in answered:
                    continue  # it is about to hear
                if isinstance(ask.about, SubtaskStarted):
                    waiting.append(ask.about.subtask_id)
                else:
                    found.append((id, ask))
        return found

    async def _follow(self, task_id: str, after: int, progress: Callable[[str], None]) -> None:
        """The task, and those below it: what they ask is asked of whoever started it."""
        async with Watch(self._host, lambda _: None) as watch:
            watch.add(task_id, after)
            for id in await self._waited_for(task_id):
                last = await self._host.store.tail(id, 1)  # none, if it is yet to be created
                watch.add(id, last[-1].seq if last else 0)
            if await self._asks(task_id):  # meanwhile
                return
            while True:
                record = await watch.next()
                if record is None:
                    if self._failure(task_id) is not None:
                        return
                    continue
                if told := _told(record.event):
                    progress(told)
                if isinstance(record.event, RunEnded) and record.task_id == task_id:
                    return
                if may_ask(record.event) and await self._asks(task_id):
                    return

    async def _waited_for(self, task_id: str) -> list[str]:
        """The subtasks that are to report, and theirs."""
        found: list[str] = []
        for ask in await open_asks(self._host.store, task_id):
            if isinstance(ask.about, SubtaskStarted):
                id = ask.about.subtask_id
                found += [id, *await self._waited_for(id)]
        return found


def _told(event: Event) -> str:
    """What a client that waits should hear."""
    match event:
        case ToolStarted(call=call):
            return f"{call.name}"
        case MessageAdded(message=message) if message.role == "assistant" and message.text:
            return message.text
        case SubtaskStarted(mode=mode, prompt=prompt):
            return f"subtask in {mode} mode: {prompt[:200]}"
        case ModeSwitched(mode=mode):
            return f"mode {mode}"
        case ApprovalRequested(call=call):
            return f"asks whether {call.name} may run"
        case QuestionAsked(question=question):
            return question
        case _:
            return ""


def _shown(task_id: str, ask: Ask) -> dict[str, Any]:
    shown: dict[str, Any] = {"task_id": task_id, "kind": ask.waiting.kind}
    if isinstance(ask.about, ApprovalRequested):
        call = ask.about.call
        return {**shown, "tool": call.name, "input": call.input, "reason": ask.about.reason}
    assert isinstance(ask.about, QuestionAsked)
    suggestions = [suggestion.text for suggestion in ask.suggestions]
    return {**shown, "question": ask.about.question, "suggestions": suggestions}


def _page(message: Message) -> str:
    lines = [message.text] if message.text else []
    results = (block for block in message.content if isinstance(block, ToolResult))
    lines += [f"```\n{result.content}\n```" for result in results]
    lines += [f"`{call.name}` {call.input}" for call in message.tool_uses]
    if not lines:
        return ""
    who = "Assistant" if message.role == "assistant" else "User"
    return f"### {who}\n\n" + "\n\n".join(lines)
