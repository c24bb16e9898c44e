"""Drive a stored task on in this process, as it is or with other settings."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from msgspec.structs import replace

from roo_code.cli.answers import Answers, NoAnswers, TerminalAnswers
from roo_code.cli.compose import HostOptions, open_host
from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.conversation import Conversation
from roo_code.cli.ending import Ending
from roo_code.cli.interrupts import Interrupts
from roo_code.cli.options import RunOptions
from roo_code.cli.render_text import TextRenderer
from roo_code.cli.screen import Screen
from roo_code.cli.session import Opener, Opening
from roo_code.cli.talk import Surroundings, Talk
from roo_code.cli.task_view import ask_lines
from roo_code.cli.terminal_input import TerminalInput
from roo_code.commands import AnswerQuestion, Command, ReportSubtask, RespondToApproval, SendMessage
from roo_code.events import SubtaskStarted, TaskSpec
from roo_code.task.asks import Ask, open_asks
from roo_code.task.store import ENDED, TaskStore, TaskSummary
from roo_code.task.watch import Watch


class StoredOpener(Opener, frozen=True):
    """Knows of answers and messages that were stored while nobody drove the task."""

    async def resume(self, store: TaskStore, prompt: str | None) -> Opening:
        opening = await super().resume(store, prompt)
        if await _has_news(store, opening.task_id, ended=opening.status in ENDED):
            return replace(opening, status="running")
        return opening


async def resume(task: TaskSummary, spec: TaskSpec, options: RunOptions) -> int:
    """Until the task has ended or waits for something; 0 if it was completed."""
    screen = Screen(sys.stdout, sys.stderr)
    attended = sys.stdin.isatty() and sys.stdout.isatty()
    spared = frozenset({task.parent_id} if task.parent_id else ())
    async with (
        open_host(
            HostOptions(api_key=options.api_key, spared=spared, tell=screen.notice)
        ) as composed,
        Watch(composed.host, composed.executor.failure) as watch,
    ):
        blocked = await _blocked(composed.store, task.id)
        if blocked and not (attended and all(id == task.id for id, _ in blocked)):
            for id, ask in blocked:
                screen.notice(ask_lines(ask, id, screen.error_style))
            return 1
        conversation = Conversation(
            composed.host,
            watch,
            screen,
            TextRenderer(screen.style),
            _answers(screen) if attended else NoAnswers(),
        )
        around = Surroundings(
            host=composed.host,
            executor=composed.executor,
            conversation=conversation,
            screen=screen,
            ending=Ending(screen, kept=True, summary=True),
            input=None,
        )
        unattended = spec.approval.unattended and not attended
        code = await _see_through(
            Talk(around, StoredOpener(options, unattended, choose_provider)), screen
        )
    if spared:
        screen.notice(
            f"It is part of a task. To go on with that: roo tasks resume {task.parent_id}"
        )
    return code


def _answers(screen: Screen) -> Answers:
    return TerminalAnswers(
        TerminalInput(sys.stdin.fileno()),
        lambda text: screen.write([text]),
        screen.style,
        questions_shown=False,
    )


async def _see_through(talk: Talk, screen: Screen) -> int:
    work = asyncio.create_task(talk.resume(None))
    interrupts = Interrupts(screen.erase_spinner)
    with interrupts.stopping(work):
        await asyncio.wait({work})
        if interrupts.received is None:
            return work.result()
        return await talk.stop(interrupts.received)


async def _has_news(store: TaskStore, task_id: str, *, ended: bool) -> bool:
    """Whether a stored command will move a task that has ended or is parked."""
    commands = await store.inbox(task_id)
    if ended:
        return any(isinstance(command, SendMessage) for command in commands)
    return any(_is_answered(ask, commands) for ask in await open_asks(store, task_id))


def _is_answered(ask: Ask, commands: Sequence[Command]) -> bool:
    for command in commands:
        match command:
            case RespondToApproval() | AnswerQuestion() | ReportSubtask():
                if command.tool_use_id == ask.id:
                    return True
            case SendMessage():
                if ask.waiting.kind in ("question", "relay"):
                    return True
            case _:
                pass
    return False


async def _blocked(store: TaskStore, task_id: str) -> list[tuple[str, Ask]]:
    """What a person must answer, in the task or below it, before anything can go on."""
    asks = await open_asks(store, task_id)
    commands = await store.inbox(task_id)
    if any(_is_answered(ask, commands) for ask in asks):
        return []
    found: list[tuple[str, Ask]] = []
    for ask in asks:
        if not isinstance(ask.about, SubtaskStarted):
            found.append((task_id, ask))
        elif below := await _blocked(store, ask.about.subtask_id):
            found += below
        else:
            return []  # that subtask can go on
    return found
