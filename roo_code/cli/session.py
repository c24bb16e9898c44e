"""Which task a command line means, and what to send it first."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.options import RunOptions
from roo_code.commands import Command, ResumeTask, SendMessage, StartTask, SwitchMode, new_id
from roo_code.errors import ConfigError
from roo_code.events import EventRecord, Limits, RunCompleted, TaskSpec
from roo_code.modes.collection import Modes
from roo_code.task.asks import open_asks
from roo_code.task.store import TaskQuery, TaskStatus, TaskStore

_UUID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)
_PAGE = 500
ChooseProvider = Callable[[RunOptions, dict[str, Any] | None], dict[str, Any]]
"""The provider settings to store, from the options and, of an older task, what it had."""


class Opening(Struct, frozen=True, kw_only=True):
    """How a conversation with a task begins."""

    task_id: str
    commands: tuple[Command, ...] = ()
    """To be sent together."""
    after: int = 0
    """The last record of before."""
    before: tuple[EventRecord, ...] = ()
    status: TaskStatus = "created"
    title: str = ""
    answered: tuple[str, ...] = ()
    """Questions that the message among the commands answers."""
    is_driven: bool = False
    """Whether another process drives the task, which keeps its settings then."""


class Opener(Struct, frozen=True):
    options: RunOptions
    unattended: bool
    choose_provider: ChooseProvider

    def new_spec(self, prompt: str = "") -> TaskSpec:
        """All of a new task but, perhaps, its prompt; whatever is wrong is found here."""
        options = self.options
        _check_uuid(options.create_with_session_id)
        folder = workspace(options.workspace)
        return TaskSpec(
            prompt=prompt,
            workspace=folder,
            mode=known_mode(options.mode, folder) or "code",
            provider=self.choose_provider(options, None),
            approval=self._approval(ApprovalSettings()),
            limits=Limits(turns=options.max_turns, cost=options.max_cost),
            consecutive_mistake_limit=_mistake_limit(options, 10),
            sandbox=options.sandbox or "",
        )

    def start(self, spec: TaskSpec) -> Opening:
        given = self.options.create_with_session_id
        task_id = given.lower() if given else new_id()
        return Opening(task_id=task_id, commands=(StartTask(task_id=task_id, spec=spec),))

    async def resume(self, store: TaskStore, prompt: str | None) -> Opening:
        """A task of before."""
        task_id = self.options.session_id or await self._newest(store)
        summary = await store.summary(task_id)
        opening = Opening(
            task_id=task_id,
            after=summary.last_seq,
            before=tuple(await store.tail(task_id, _PAGE)),
            status=summary.status,
            title=summary.title,
            is_driven=await store.is_driven(task_id),
        )
        commands: list[Command] = []
        if prompt is not None:
            commands.append(SendMessage(task_id=task_id, text=prompt))
            asks = await open_asks(store, task_id)
            questions = [ask.id for ask in asks if ask.waiting.kind == "question"]
            opening = replace(opening, answered=tuple(questions[:1]))
        is_over = summary.status == "completed" and prompt is None and self.unattended
        if not opening.is_driven and not is_over:
            old = (await store.spec(task_id)).replace(prompt="", images=())
            spec = self._changed(old)
            if spec != old or prompt is None:
                commands.append(ResumeTask(task_id=task_id, spec=spec if spec != old else None))
            if mode := self.options.mode:  # which it may have left since it was told
                commands.append(SwitchMode(task_id=task_id, mode=mode))
        return replace(opening, commands=tuple(commands))

    async def _newest(self, store: TaskStore) -> str:
        folder = workspace(self.options.workspace)
        tasks = await store.summaries(TaskQuery(workspace=folder, limit=1))
        if not tasks:
            raise ConfigError(
                f"There is no task in {folder!r} to continue.", hint='Start one: roo "PROMPT"'
            )
        return tasks[0].id

    def _changed(self, old: TaskSpec) -> TaskSpec:
        """What the task has, but for what the command line says."""
        options = self.options
        limits = Limits(
            turns=options.max_turns or old.limits.turns,
            tokens=old.limits.tokens,
            cost=options.max_cost or old.limits.cost,
            seconds=old.limits.seconds,
        )
        folder = workspace(options.workspace or old.workspace)
        return old.replace(
            workspace=folder,
            mode=known_mode(options.mode, folder) or old.mode,
            provider=self.choose_provider(options, old.provider),
            approval=self._approval(old.approval),
            limits=limits,
            consecutive_mistake_limit=_mistake_limit(options, old.consecutive_mistake_limit),
            sandbox=options.sandbox or old.sandbox,
        )

    def _approval(self, old: ApprovalSettings) -> ApprovalSettings:
        options = self.options
        base = options.approval or old
        return base.replace(
            level="ask" if options.require_approval else options.approve or base.level,
            unattended=self.unattended,
            allowed_commands=options.allow_command or base.allowed_commands,
            denied_commands=options.deny_command or base.denied_commands,
        )


def workspace(given: str | None) -> str:
    """The folder to work in, checked."""
    try:
        folder = Path(given or ".").resolve(strict=True)
    except (OSError, RuntimeError) as error:  # the latter for links that lead in a circle
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"The workspace {given or '.'!r} cannot be used: {reason}.") from error
    if not folder.is_dir():
        raise ConfigError(f"The workspace {str(folder)!r} is not a folder.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise ConfigError(
            f"The workspace {str(folder)!r} cannot be read: Permission denied.",
            hint="Choose another with --workspace, or change its permissions.",
        )
    try:
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"The workspace's name {str(folder)!r} is not valid UTF-8.") from error
    return str(folder)


def known_mode(slug: str | None, folder: str) -> str | None:
    """The mode asked for, if it exists here."""
    if slug is not None:
        modes = Modes.of(Path(folder))
        if modes.get(slug) is None:
            listed = ", ".join(mode.slug for mode in modes.all)
            raise ConfigError(
                f"There is no mode {slug!r}. Modes: {listed}.",
                hint="See roo modes list. Who asks for it, if not you: roo config list --origin",
            )
    return slug


def completion(opening: Opening) -> EventRecord | None:
    """The end of a task that is done already, if nothing is to be added."""
    only_resumed = all(isinstance(command, ResumeTask) for command in opening.commands)
    if opening.status != "completed" or not only_resumed:
        return None
    ends = (record for record in reversed(opening.before) if _is_completion(record))
    return next(ends, None)


def _is_completion(record: EventRecord) -> bool:
    return isinstance(record.event, RunCompleted)


def _check_uuid(id: str | None) -> None:
    if id is not None and not _UUID.fullmatch(id):
        raise ConfigError(
            f"{id!r} is not a UUID.", hint="For example: 018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"
        )


def _mistake_limit(options: RunOptions, otherwise: int) -> int:
    given = options.consecutive_mistake_limit
    return otherwise if given is None else given
