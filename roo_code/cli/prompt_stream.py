"""`--stdin-prompt-stream`: another program drives tasks by lines of JSON, and reads the like."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from roo_code.cli.given_settings import GivenSettings
from roo_code.cli.prompt_stream_input import (
    Cancel,
    Ping,
    Say,
    Shutdown,
    Start,
    StreamCommand,
    parse,
)
from roo_code.cli.prompt_stream_task import StreamedTask, control
from roo_code.cli.session import Opener
from roo_code.cli.stream_events import JsonEvent, StreamEvents
from roo_code.commands import new_id
from roo_code.errors import ConfigError, RooCodeError, explain
from roo_code.events import RunFailed
from roo_code.execution.local import LocalExecutor
from roo_code.input_lines import InputLines
from roo_code.ipc.images import from_data_uris
from roo_code.messages import ImageContent
from roo_code.task.host import TaskHost

_CANCEL_SECONDS = 15.0


class PromptStream:
    """Commands in order, one task at a time; each gets an ack, and then a done or an error."""

    def __init__(
        self,
        host: TaskHost,
        executor: LocalExecutor,
        opener: Opener,
        given: GivenSettings,
        write: Callable[[str], None],
        *,
        signal_only_exit: bool = False,
    ) -> None:
        self._host = host
        self._executor = executor
        self._opener = opener
        self._given = given
        self._write = write
        self._signal_only_exit = signal_only_exit
        self._events = StreamEvents(partial=True)
        self._task: StreamedTask | None = None
        self._has_heard = False

    async def run(self, lines: InputLines) -> int:
        """Until the input ends or asks to shut down; the exit code."""
        self._emit(self._events.begin(""))
        try:
            if self._opener.options.resumes:
                await self._resume()
            while (line := await lines.next()) is not None:
                self._has_heard = True
                command = parse(line)
                if isinstance(command, Shutdown):
                    return await self._shut_down(command)
                await self._act(command)
            return await self._input_ended()
        except RooCodeError as error:
            self._emit(self._events.fail(explain(error)))
            raise

    async def aclose(self) -> None:
        if self._task is not None:
            await self._task.aclose()

    async def stop(self, reason: str) -> None:
        """Cancel what runs, and wait for its end a while."""
        task = self._task
        if task is None or task.state == "ended":
            return
        await task.cancel(reason)
        with suppress(TimeoutError):
            async with asyncio.timeout(_CANCEL_SECONDS):
                await task.until("ended")

    async def _act(self, command: StreamCommand) -> None:
        match command:
            case Start():
                await self._start(command)
            case Say():
                await self._say(command)
            case Cancel():
                await self._cancel(command)
            case _:
                assert isinstance(command, Ping)
                self._reply("ack", command, code="accepted")
                self._reply("done", command, code="pong", success=True)

    async def _start(self, command: Start) -> None:
        if self._task is not None and self._task.state != "ended":
            self._refuse(command, "task_busy", f"Task {self._task.id} is not done yet.")
            return
        options = self._opener.options
        task_id = (command.task_id or options.create_with_session_id or new_id()).lower()
        opener = replace(self._opener, options=replace(options, create_with_session_id=task_id))
        try:
            images = _images(command)
            spec = await asyncio.to_thread(  # it reads settings and keys
                self._given.new_spec,
                opener.options,
                task_id,
                command.prompt,
                command.configuration,
            )
        except RooCodeError as error:
            self._refuse(command, "task_error", _told(error))
            return
        opening = opener.start(spec.replace(images=images))
        if self._task is not None:
            self._given.forget(self._task.id)
            await self._task.aclose()
        self._task = self._new_task(command.request_id)
        self._reply("ack", command, code="accepted", taskId=opening.task_id)
        try:
            await self._task.open(opening)
        except RooCodeError as error:
            self._task = None
            self._refuse(command, "task_error", _told(error))

    def _new_task(self, request_id: str | None) -> StreamedTask:
        return StreamedTask(self._host, self._executor, self._events, self._emit, request_id)

    async def _resume(self) -> None:
        opening = await self._opener.resume(self._host.store, None)
        self._task = self._new_task(None)
        if opening.status != "running":  # it goes on when it is told something
            opening = replace(opening, commands=())
        await self._task.open(opening)

    async def _say(self, command: Say) -> None:
        task = self._task
        if task is None:
            self._refuse(command, "no_active_task", "There is no task; start one.")
            return
        try:
            images = _images(command)
        except ConfigError as error:
            self._refuse(command, "client_error", _told(error))
            return
        self._reply("ack", command, code="accepted", taskId=task.id)
        if task.state == "cancelling":  # else what is said would be cancelled too
            with suppress(TimeoutError):
                async with asyncio.timeout(_CANCEL_SECONDS):
                    await task.until("ended")
        code = await task.say(command.request_id, command.prompt, images)
        self._reply("done", command, code=code, success=True, taskId=task.id)

    async def _cancel(self, command: Cancel) -> None:
        task = self._task
        self._reply("ack", command, code="accepted")
        if task is None or task.state == "ended":
            self._reply("done", command, code="no_active_task", success=True)
            return
        await task.cancel("The program that started it cancelled it.")
        self._reply("done", command, code="cancel_requested", success=True, taskId=task.id)

    async def _shut_down(self, command: Shutdown) -> int:
        self._reply("ack", command, code="accepted")
        self._reply("done", command, code="shutdown_requested", success=True)
        await self.stop("The program that started it shut down.")
        return 0

    async def _input_ended(self) -> int:
        if not self._has_heard:
            raise ConfigError(
                "The standard input ended before any command.",
                hint='Such as {"command":"start","requestId":"1","prompt":"Fix the test."}',
            )
        task = self._task
        if task is not None:
            await task.until("ended", "waiting")
        if self._signal_only_exit:
            await asyncio.Event().wait()
        if task is not None and task.state == "waiting":
            raise ConfigError(
                "The standard input ended while the task was waiting for input.",
                hint=f"Answer it with: roo tasks answer {task.id}",
            )
        return 1 if task is not None and isinstance(task.ended, RunFailed) else 0

    def _refuse(self, command: StreamCommand, code: str, content: str) -> None:
        self._reply("error", command, code=code, content=content, success=False)

    def _reply(self, subtype: str, command: StreamCommand, **fields: object) -> None:
        self._emit(control(subtype, command.request_id, command.name, **fields))

    def _emit(self, event: JsonEvent) -> None:
        if self._task is not None and self._task.request_id is not None:
            event.setdefault("requestId", self._task.request_id)
        self._write(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n")


def _images(command: Start | Say) -> tuple[ImageContent, ...]:
    """Those that come with the words; ConfigError if there is neither."""
    images = from_data_uris(command.images)
    if not images and not command.prompt.strip():
        raise ConfigError("The prompt is empty.", hint="Say what to do, or send an image.")
    return images


def _told(error: RooCodeError) -> str:
    """What is wrong, and what to do about it."""
    facing = explain(error)
    return f"{facing} {facing.hint}".strip()
