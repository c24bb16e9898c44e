"""The host itself, as a program that embeds it has it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, aclosing
from types import TracebackType
from typing import ClassVar, Self

from roo_code.cli.compose import Composition, open_host
from roo_code.cli.given_settings import new_spec
from roo_code.cli.options import RunOptions
from roo_code.commands import (
    AnswerQuestion,
    CancelTask,
    RespondToApproval,
    ResumeTask,
    SendMessage,
    StartTask,
    new_id,
)
from roo_code.errors import ConfigError, TaskNotFound
from roo_code.events import (
    ApprovalRequested,
    Event,
    ModeSwitched,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SubtaskStarted,
    TextDelta,
)
from roo_code.ipc.images import from_data_uris
from roo_code.task.asks import Ask, open_asks
from tests.front_ends.front_end import Ability, FrontEnd


class InProcess(FrontEnd):
    name = "in process"
    cannot: ClassVar[Mapping[Ability, str]] = {
        "kill": "the process that serves is the one that runs the test"
    }

    async def __aenter__(self) -> Self:
        self._exits = AsyncExitStack()
        self._composed: Composition = await self._exits.enter_async_context(open_host())
        self._following: list[asyncio.Task[None]] = []
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for following in self._following:
            following.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)
        await self._exits.aclose()

    async def start(self, prompt: str, images: tuple[str, ...] = ()) -> str:
        options = RunOptions(workspace=str(self.stage.workspace))
        spec = new_spec(options, prompt, {}, unattended=False)
        task_id = new_id()
        command = StartTask(task_id=task_id, spec=spec.replace(images=from_data_uris(images)))
        await self._composed.host.handle(command)
        self._follow(task_id)
        return task_id

    async def say(self, task_id: str, text: str) -> None:
        await self._composed.host.handle(SendMessage(task_id=task_id, text=text))

    async def approve(self, task_id: str) -> None:
        await self._decide(task_id, "")

    async def refuse(self, task_id: str, why: str) -> None:
        await self._decide(task_id, why)

    async def answer(self, task_id: str, text: str) -> None:
        task_id, ask = await self._open_ask(task_id)
        await self._composed.host.handle(
            AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=text)
        )

    async def cancel(self, task_id: str) -> None:
        await self._composed.host.handle(CancelTask(task_id=task_id))

    async def resume(self, task_id: str) -> None:
        await self._composed.host.handle(ResumeTask(task_id=task_id))
        self._follow(task_id)

    async def name_unknown(self, task_id: str) -> str:
        try:
            await self.say(task_id, "Hello?")
        except TaskNotFound as error:
            return str(error)
        return ""

    async def start_wrongly(self, image: str) -> str:
        try:
            await self.start("Look.", (image,))
        except ConfigError as error:
            return str(error)
        return ""

    async def _decide(self, task_id: str, refusal: str) -> None:
        task_id, ask = await self._open_ask(task_id)
        await self._composed.host.handle(
            RespondToApproval(
                task_id=task_id, tool_use_id=ask.id, approved=not refusal, feedback=refusal
            )
        )

    async def _open_ask(self, task_id: str) -> tuple[str, Ask]:
        """Of the task, or of the one below that it waits for."""
        (ask,) = await open_asks(self._composed.store, task_id)
        if isinstance(ask.about, SubtaskStarted):
            return await self._open_ask(ask.about.subtask_id)
        return task_id, ask

    def _follow(self, task_id: str) -> None:
        async def follow() -> None:
            async with aclosing(self._composed.host.follow(task_id)) as records:
                async for record in records:
                    self._hear(task_id, record.event)

        self._following.append(asyncio.create_task(follow()))

    def _hear(self, task_id: str, event: Event) -> None:
        match event:
            case TextDelta(text=text):
                self.note("delta", task_id, text)
            case ApprovalRequested(call=call):
                self.note("asked", task_id, call.name)
            case QuestionAsked(question=question):
                self.note("asked", task_id, question)
            case SubtaskStarted(subtask_id=subtask_id):
                self.parents[subtask_id] = task_id
                self._follow(subtask_id)
            case ModeSwitched(mode=mode):
                self.note("mode", task_id, mode)
            case RunCompleted(result=result):
                self.note("ended", task_id, result, "completed")
            case RunCancelled(reason=reason):
                self.note("ended", task_id, reason, "cancelled")
            case RunFailed(error=error):
                self.note("ended", task_id, error, "failed")
            case _:
                pass
