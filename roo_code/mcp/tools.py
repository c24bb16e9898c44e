"""What a client can call: the tools of modes, and control of the host's tasks."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from roo_code.errors import RooCodeError, explain
from roo_code.mcp.messages import Json
from roo_code.mcp.served_tool import TEXT, Call, Progress, ServedTool
from roo_code.mcp.session import Session
from roo_code.mcp.task_tools import TaskTools
from roo_code.mcp.tasks import HostedTasks, NewTask
from roo_code.modes.orchestrator import ModeOrchestrator

_SIGNS = re.compile(r"^\W+")
"""Pictures that names of modes begin with."""


class _SwitchMode(Struct):
    mode_slug: str
    reason: str = ""


class _NewTask(Struct):
    mode: str
    message: str


class ToolHandler:
    def __init__(self, orchestrator: ModeOrchestrator, tasks: HostedTasks | None) -> None:
        self._orchestrator = orchestrator
        self._tasks = tasks
        self._tools = {tool.name: tool for tool in self._all()}

    def list(self) -> list[Json]:
        return [tool.definition() for tool in self._tools.values()]

    async def call_tool(
        self, name: str, arguments: Json, session: Session, progress: Progress = lambda text: None
    ) -> Json:
        """What came of it, as a result for the client; a failure is one too."""
        tool = self._tools.get(name)
        if tool is None:
            return _result(f"There is no tool {name!r}. There are: {', '.join(self._tools)}.", True)
        try:
            return _result(await tool.run(Call(session, arguments, progress)))
        except msgspec.ValidationError as error:
            return _result(f"The arguments of {name} are wrong: {error}.", True)
        except RooCodeError as error:
            return _result(f"{explain(error)} {error.hint}".strip(), True)

    def _all(self) -> list[ServedTool]:
        slugs = ", ".join(mode.slug for mode in self._orchestrator.modes.all)
        mode: Json = {**TEXT, "description": f"A mode's slug: {slugs}."}
        tools = [
            ServedTool(
                "switch_mode", "Put the session's current task into another mode.",
                {"mode_slug": mode, "reason": {**TEXT, "description": "Why."}},
                ("mode_slug",), self._switch_mode,
            ),
            ServedTool(
                "new_task",
                "Create a task below the session's current one, which it becomes."
                + (" It is carried out; watch_task tells how it goes." if self._tasks else ""),
                {"mode": mode, "message": {**TEXT, "description": "What to do."}},
                ("mode", "message"), self._new_task,
            ),
        ]  # fmt: skip
        return tools if self._tasks is None else [*tools, *TaskTools(self._tasks, mode).all()]

    async def _switch_mode(self, call: Call) -> str:
        given = msgspec.convert(call.arguments, _SwitchMode)
        task = call.session.current_task
        mode = self._orchestrator.find(given.mode_slug)
        if mode.slug != task.mode_slug:
            self._orchestrator.switch_mode(task, mode.slug, given.reason)
            if self._tasks is not None:
                await self._tasks.switch_mode(task.id, mode.slug)
        return f"Switched to {_SIGNS.sub('', mode.name)} mode"

    async def _new_task(self, call: Call) -> str:
        given = msgspec.convert(call.arguments, _NewTask)
        session = call.session
        task = self._orchestrator.create_task(given.mode, given.message, session.current_task)
        if self._tasks is not None:
            await self._tasks.start(NewTask(given.message, task.mode_slug), task.id)
        session.current_task = task
        return f"Created new task in {task.mode_slug} mode: {given.message}\nTask id: {task.id}"


def _result(text: str, is_error: bool = False) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
