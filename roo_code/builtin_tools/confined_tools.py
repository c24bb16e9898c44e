"""Users' tools where commands are confined: each call is a process in the sandbox.

Nothing of their code is loaded into ours, not even to learn what they are called.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from pydantic import BaseModel

from roo_code.builtin_tools.command_sandbox import CommandSandbox
from roo_code.builtin_tools.command_settings import environment
from roo_code.builtin_tools.user_tool_calls import Answer, DescribedTool, Request
from roo_code.builtin_tools.user_tool_files import UnusableTool
from roo_code.errors import ToolError
from roo_code.json_text import JsonValue
from roo_code.tools import AnyTool, Tool, ToolContext, ToolOutcome
from roo_code.workspace.short_process import short_process
from roo_code.workspace.worker import worker_command

_WORKER = "roo_code.builtin_tools.user_tool_worker"
_MOST_BYTES = 16 << 20
_MOST_SAID = 2000
_SECONDS_TO_DESCRIBE = 30


class AnyInput(BaseModel, extra="allow"):
    """Whatever the model says: the worker, which has the tool's own type, checks it."""


class ConfinedTool(Tool[AnyInput]):
    """One tool of a file; made by `confined_loader`."""

    group = "command"
    in_sandbox = True
    input_type = AnyInput
    schema: dict[str, Any]

    def __init__(self, path: Path, code: bytes) -> None:
        self._path = path
        self._code = code

    def input_schema(self) -> dict[str, Any]:
        return self.schema

    async def execute(self, arguments: AnyInput, context: ToolContext) -> ToolOutcome:
        request = Request(
            path=str(self._path),
            code=self._code,
            tool=self.name,
            input=arguments.model_dump(mode="json"),
            workspace=str(context.workspace.root),
            settings=dict(context.settings),
        )
        handed_on = environment(terminal=False, settings=context.settings)
        answer = await _ask(
            request,
            CommandSandbox.of(context),
            context.workspace.root,
            handed_on,
            confined=context.confined,
        )
        if answer.error:
            raise ToolError(answer.error)
        return ToolOutcome(answer.outcome, answer.images, answer.is_error, answer.seen_files)


def confined_loader(
    settings: Mapping[str, JsonValue], workspace: Path
) -> Callable[[Path, bytes], Sequence[AnyTool]]:
    """For `load_folder`: the tools of a file, described by a process in the sandbox."""

    def load(path: Path, code: bytes) -> Sequence[AnyTool]:
        # The caller's loop runs; this one is done before the thread that started the process is.
        with ThreadPoolExecutor(1) as thread:
            described = thread.submit(asyncio.run, _describe(path, code, settings, workspace))
            return [_tool(one, path, code) for one in described.result()]

    return load


async def _describe(
    path: Path, code: bytes, settings: Mapping[str, JsonValue], workspace: Path
) -> Sequence[DescribedTool]:
    sandbox = CommandSandbox(settings, workspace)
    try:
        async with asyncio.timeout(_SECONDS_TO_DESCRIBE):
            answer = await _ask(Request(path=str(path), code=code), sandbox, workspace)
    except TimeoutError as error:
        raise UnusableTool(f"it was not loaded within {_SECONDS_TO_DESCRIBE} s") from error
    except ToolError as error:
        raise UnusableTool(str(error)) from error
    finally:
        await sandbox.aclose()
    if answer.error:
        raise UnusableTool(answer.error)
    return answer.tools


def _tool(described: DescribedTool, path: Path, code: bytes) -> AnyTool:
    kind = type(
        "ConfinedUserTool",
        (ConfinedTool,),
        {
            "name": described.name,
            "description": described.description,
            "group": described.group,
            "schema": described.input_schema,
            "repeatable": described.repeatable,
            "ends_run": described.ends_run,
            "needs_approval": described.needs_approval,
        },
    )
    return cast("type[ConfinedTool]", kind)(path, code)


async def _ask(
    request: Request,
    sandbox: CommandSandbox,
    workspace: Path,
    handed_on: Mapping[str, str] = MappingProxyType({}),
    *,
    confined: bool = False,
) -> Answer:
    argv, own = worker_command(_WORKER)
    wrapped = await sandbox.wrap(argv, workspace, {**handed_on, **own}, confined=confined)
    try:
        async with short_process(
            wrapped.argv,
            stdin=asyncio.subprocess.PIPE,
            environment=wrapped.environment,
            kind="user tool",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            _, data, said = await asyncio.gather(
                _send(process.stdin, request.to_json().encode()),
                _whole(process.stdout),
                _end_of(process.stderr),
            )
    except OSError as error:
        raise ToolError(f"The tool could not be started: {error}") from error
    try:
        return Answer.from_json(data)
    except ValueError as error:
        reason = said.decode("utf-8", "replace").strip() or "it ended without an answer"
        raise ToolError(f"The tool failed: {reason}") from error


async def _send(stream: asyncio.StreamWriter, data: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # what it says of its end tells more
        stream.write(data)
        await stream.drain()
        stream.close()


async def _whole(stream: asyncio.StreamReader) -> bytes:
    data = bytearray()
    while chunk := await stream.read(1 << 16):
        data += chunk
        if len(data) > _MOST_BYTES:
            raise ToolError(f"The tool's answer is larger than {_MOST_BYTES >> 20} MB.")
    return bytes(data)


async def _end_of(stream: asyncio.StreamReader) -> bytes:
    end = b""
    while chunk := await stream.read(1 << 16):
        end = (end + chunk)[-_MOST_SAID:]
    return end
