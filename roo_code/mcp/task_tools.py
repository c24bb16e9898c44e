"""The tools by which a client runs Roo as a helper: start, watch, answer, cancel, result."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, convert

from roo_code.json_text import to_json
from roo_code.mcp.messages import Json
from roo_code.mcp.served_tool import TEXT, Call, ServedTool
from roo_code.mcp.tasks import HostedTasks, NewTask

_LONGEST_WATCH = 3600.0
_CANCEL_SECONDS = 15.0
_TASK_ID: Json = {**TEXT, "description": "The task's id, as start_task told it."}


class _Arguments(Struct, forbid_unknown_fields=True):
    """A task that runs elsewhere than meant, for a misspelt name, is worse than an error."""


class _Start(_Arguments):
    prompt: str
    mode: str = "code"
    workspace: str = ""
    images: tuple[str, ...] = ()


class _Watch(_Arguments):
    task_id: str
    timeout: float = 60.0


class _Answer(_Arguments):
    task_id: str
    text: str = ""
    approved: bool | None = None


class _Named(_Arguments):
    task_id: str


class TaskTools:
    def __init__(self, tasks: HostedTasks, mode: Json) -> None:
        self._tasks = tasks
        self._mode = mode
        """The schema of a mode's slug."""

    def all(self) -> list[ServedTool]:
        return [
            ServedTool(
                "start_task", "Have Roo carry out a coding task in the workspace. Answers at once.",
                {
                    "prompt": {**TEXT, "description": "What to do, complete in itself."},
                    "mode": self._mode,
                    "workspace": {**TEXT, "description": "Another folder than the server's."},
                    "images": {
                        "type": "array", "items": TEXT,
                        "description": "Pictures that belong to the prompt, as data URIs.",
                    },
                },
                ("prompt",), self._start,
            ),
            ServedTool(
                "watch_task", "Wait until a task has ended or asks something, with its progress.",
                {"task_id": _TASK_ID, "timeout": {"type": "number", "description": "Seconds; 60."}},
                ("task_id",), self._watch, is_read_only=True,
            ),
            ServedTool(
                "answer_task", "Answer what a task asks, or say something to it.",
                {
                    "task_id": _TASK_ID,
                    "text": {**TEXT, "description": "The answer, or a word with the decision."},
                    "approved": {"type": "boolean", "description": "Where it asks to approve."},
                },
                ("task_id",), self._answer,
            ),
            ServedTool(
                "cancel_task", "Cancel a task.",
                {"task_id": _TASK_ID}, ("task_id",), self._cancel,
            ),
            ServedTool(
                "task_result", "Where a task stands, and its result once it has one.",
                {"task_id": _TASK_ID}, ("task_id",), self._result, is_read_only=True,
            ),
        ]  # fmt: skip

    async def _start(self, call: Call) -> str:
        given = convert(call.arguments, _Start)
        task = NewTask(given.prompt, given.mode, given.workspace, given.images)
        return _json(await self._tasks.state(await self._tasks.start(task)))

    async def _watch(self, call: Call) -> str:
        given = convert(call.arguments, _Watch)
        seconds = min(max(given.timeout, 0.0), _LONGEST_WATCH)
        return _json(await self._tasks.watch(given.task_id, seconds, call.progress))

    async def _answer(self, call: Call) -> str:
        given = convert(call.arguments, _Answer)
        await self._tasks.answer(given.task_id, given.text, given.approved)
        return _json(await self._tasks.state(given.task_id))

    async def _cancel(self, call: Call) -> str:
        given = convert(call.arguments, _Named)
        await self._tasks.cancel(given.task_id, "An MCP client cancelled it.")
        return _json(await self._tasks.watch(given.task_id, _CANCEL_SECONDS, call.progress))

    async def _result(self, call: Call) -> str:
        return _json(await self._tasks.state(convert(call.arguments, _Named).task_id))


def _json(value: Any) -> str:
    return to_json(value).decode()
