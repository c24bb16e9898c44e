"""Turn what a person says on the command line into the command that a task waits for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from roo_code.approval_values import ApprovalScope
from roo_code.cli.bystander import Tasks
from roo_code.cli.rule_words import choices
from roo_code.cli.style import Style
from roo_code.cli.task_view import ask_lines
from roo_code.commands import AnswerQuestion, Command, RespondToApproval, SendMessage
from roo_code.errors import UserFacingError
from roo_code.task.asks import Ask, open_asks
from roo_code.task.store import TaskStore, TaskSummary

_PICK_UP_SECONDS = 1.5
_POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was said: yes or no to calls, or text."""

    approved: bool | None = None
    calls: tuple[str, ...] = ()
    """Ids, or how they begin."""
    text: str = ""
    scope: ApprovalScope = "call"


async def commands_for(tasks: Tasks, task: TaskSummary, answer: Answer) -> list[Command]:
    """The commands, or an error that says what the task waits for instead."""
    asks = await open_asks(tasks.store, task.id)
    if answer.approved is not None:
        return [
            RespondToApproval(
                task_id=task.id,
                tool_use_id=ask.id,
                approved=answer.approved,
                feedback=answer.text,
                scope=_permitted(task, ask, answer.scope),
            )
            for ask in _chosen(task, asks, answer.calls)
        ]
    for ask in asks:
        if ask.waiting.kind in ("question", "relay"):
            return [AnswerQuestion(task_id=task.id, tool_use_id=ask.id, answer=answer.text)]
    if any(ask.wants_decision for ask in asks):
        raise _refused(task, "waits for an approval; say --approve or --refuse.", asks)
    return [SendMessage(task_id=task.id, text=answer.text)]


def _chosen(task: TaskSummary, asks: Sequence[Ask], calls: Sequence[str]) -> list[Ask]:
    approvals = [ask for ask in asks if ask.wants_decision]
    if not approvals:
        raise _refused(task, "waits for no approval.", asks)
    if not calls:
        if len(approvals) > 1:
            raise _refused(task, "waits for several approvals; name each with --call.", asks)
        return approvals
    chosen: list[Ask] = []
    for call in calls:
        matching = [ask for ask in approvals if ask.id == call]
        matching = matching or [ask for ask in approvals if ask.id.startswith(call)]
        if len(matching) != 1:
            problem = "no approval" if not matching else "several approvals"
            raise _refused(task, f"waits for {problem} of a call {call!r}.", asks)
        chosen += matching
    return chosen


def _permitted(task: TaskSummary, ask: Ask, scope: ApprovalScope) -> ApprovalScope:
    """The scope, or an error where the call can be approved only by itself."""
    if scope != "call" and {"task": "t", "always": "a"}[scope] not in choices(ask.rule):
        raise _refused(task, f"asks for something that --{scope} cannot be said to.", [ask])
    return scope


def _refused(task: TaskSummary, problem: str, asks: Sequence[Ask]) -> UserFacingError:
    hint = "\n".join(ask_lines(ask, task.id, Style()) for ask in asks)
    return UserFacingError(f"Task {task.id!r} {problem}", hint=hint)


async def is_picked_up(store: TaskStore, task_id: str, commands: Sequence[Command]) -> bool:
    """Whether a live process has acted on all of the commands, or does so soon."""
    wanted = {command.command_id for command in commands}
    until = time.monotonic() + _PICK_UP_SECONDS
    while True:
        waiting = {command.command_id for command in await store.inbox(task_id)}
        if not waiting & wanted:
            return True
        if time.monotonic() > until:
            return False
        await asyncio.sleep(_POLL_SECONDS)
