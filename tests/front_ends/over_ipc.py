"""`roo ipc serve` and our own client: Roo's commands and events on a Unix socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import ClassVar, Self

from roo_code.ipc.client import IpcClient
from roo_code.ipc.cline_message import ClineMessage
from roo_code.ipc.wire import TaskEvent
from tests.front_ends.front_end import Ability, FrontEnd
from tests.front_ends.serving_process import ServingProcess


class OverIpc(FrontEnd):
    name = "IPC"
    cannot: ClassVar[Mapping[Ability, str]] = {
        "durable queue": "a queued message can be taken back until it is heard, as in Roo, so it "
        "stands in memory"
    }

    async def __aenter__(self) -> Self:
        self._results: dict[str, str] = {}
        self._created: list[str] = []
        self._resumable: set[str] = set()
        path = str(self.stage.folder / "s")
        printed: list[bytes] = []
        self._process = await ServingProcess.start(
            self.stage, printed.append,
            "ipc", "serve", "--socket", path, "--workspace", str(self.stage.workspace),
        )  # fmt: skip
        self.pid = self._process.pid
        await self._process.until(lambda: bool(printed))
        self._client = IpcClient(path)
        self._client.on("TaskEvent", self._hear)
        await self._client.ready()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.disconnect()
        await self._process.aclose()

    async def start(self, prompt: str, images: tuple[str, ...] = ()) -> str:
        before = len(self._created)
        data: dict[str, object] = {
            "configuration": {},
            "text": prompt,
            "images": list(images),
            "newTab": True,
        }
        await self._send("StartNewTask", data)
        await self._process.until(lambda: len(self._created) > before)
        return self._created[before]

    async def say(self, task_id: str, text: str) -> None:
        await self._client.send_task_message(text)

    async def approve(self, task_id: str) -> None:
        await self.say(task_id, "yes")

    async def refuse(self, task_id: str, why: str) -> None:
        await self.say(task_id, why)

    async def answer(self, task_id: str, text: str) -> None:
        await self.say(task_id, text)

    async def cancel(self, task_id: str) -> None:
        await self._send("CancelTask", task_id)

    async def resume(self, task_id: str) -> None:
        """It asks again what it asked, or whether to go on: then it is told to, as in Roo."""
        await self._send("ResumeTask", task_id)
        await self._process.until(lambda: self._is_opened(task_id))
        if task_id in self._resumable:
            await self.say(task_id, "Go on.")

    def _is_opened(self, task_id: str) -> bool:
        asks = any(h.kind == "asked" and h.task_id == task_id for h in self.happened)
        return asks or task_id in self._resumable

    async def name_unknown(self, task_id: str) -> str:
        """The protocol is silent; the server's log is not."""
        await self._send("ResumeTask", task_id)
        await self._process.until(lambda: task_id in self._process.errors)
        return self._process.errors

    async def start_wrongly(self, image: str) -> str:
        data = {"configuration": dict[str, object](), "text": "Look.", "images": [image]}
        await self._send("StartNewTask", data)
        await self._process.until(lambda: "StartNewTask" in self._process.errors)
        return self._process.errors

    async def _send(self, name: str, data: object) -> None:
        await self._client.send_command({"commandName": name, "data": data})

    def _hear(self, event: TaskEvent) -> None:
        assert event.payload is not None
        match event.event_name, *event.payload:
            case "message", change:
                self._hear_message(change.task_id, change.message)
            case "taskCreated", task_id:
                self._created.append(task_id)
            case "taskSpawned", task_id, subtask_id:
                self.parents[subtask_id] = task_id
            case "taskModeSwitched", task_id, mode:
                self.note("mode", task_id, mode)
            case "taskCompleted", task_id, *_:
                self.note("ended", task_id, self._results[task_id], "completed")
            case "taskAborted", task_id:
                self.note("ended", task_id, "", "cancelled")
            case _:
                pass

    def _hear_message(self, task_id: str, message: ClineMessage) -> None:
        text = message.text or ""
        if message.partial:
            if message.say == "text":
                self.note("delta", task_id, text)
        elif message.say == "completion_result":
            self._results[task_id] = text
        elif message.kind == "ask" and not message.is_answered:
            self._hear_ask(task_id, message.ask, text)

    def _hear_ask(self, task_id: str, ask: str | None, text: str) -> None:
        match ask:
            case "followup":
                self.note("asked", task_id, json.loads(text)["question"])
            case "tool" | "command" | "use_mcp_server" | "auto_approval_max_req_reached":
                self.note("asked", task_id, text)
            case "resume_task" | "resume_completed_task":
                self._resumable.add(task_id)
            case "api_req_failed":
                self.note("ended", task_id, text, "failed")
            case _:
                pass
