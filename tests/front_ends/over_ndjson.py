"""`roo --stdin-prompt-stream`: lines of JSON to and from a process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.front_ends.front_end import Ability, FrontEnd
from tests.front_ends.serving_process import ServingProcess

_FLAGS = ("-p", "--output-format", "stream-json", "--stdin-prompt-stream")


class OverNdjson(FrontEnd):
    name = "NDJSON"
    cannot: ClassVar[Mapping[Ability, str]] = {
        "several tasks": "a start is refused with task_busy while a task is not done"
    }

    async def __aenter__(self) -> Self:
        self._requests = 0
        self._task_id = ""
        self._error = ""
        self._replies: list[dict[str, Any]] = []
        await self._open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._process.aclose()

    async def start(self, prompt: str, images: tuple[str, ...] = ()) -> str:
        ack = await self._ask("start", prompt=prompt, images=list(images))
        return ack["taskId"]

    async def say(self, task_id: str, text: str) -> None:
        await self._ask("message", prompt=text)

    async def approve(self, task_id: str) -> None:
        await self.say(task_id, "yes")

    async def refuse(self, task_id: str, why: str) -> None:
        await self.say(task_id, why)

    async def answer(self, task_id: str, text: str) -> None:
        await self.say(task_id, text)

    async def cancel(self, task_id: str) -> None:
        await self._ask("cancel")

    async def resume(self, task_id: str) -> None:
        """Another process: one can say at its start alone which task is meant."""
        await self._process.aclose()
        self._task_id = task_id
        await self._open("--session-id", task_id)

    async def name_unknown(self, task_id: str) -> str:
        await self.resume(task_id)
        assert await self._process.wait() == 1
        assert self._error in self._process.errors
        told = self._error
        await self._open()
        return told

    async def start_wrongly(self, image: str) -> str:
        reply = await self._ask("start", "error", prompt="Look.", images=[image])
        assert reply["code"] == "task_error"
        return reply["content"]

    async def _open(self, *arguments: str) -> None:
        workspace = str(self.stage.workspace)
        self._process = await ServingProcess.start(
            self.stage, self._hear, *_FLAGS, "--workspace", workspace, *arguments
        )
        self.pid = self._process.pid

    async def _ask(self, command: str, expected: str = "ack", **fields: Any) -> dict[str, Any]:
        """The first word on the request."""
        self._requests += 1
        id = str(self._requests)
        await self._process.write({"command": command, "requestId": id, **fields})

        def replies() -> list[dict[str, Any]]:
            return [reply for reply in self._replies if reply["requestId"] == id]

        await self._process.until(lambda: bool(replies()))
        assert replies()[0]["subtype"] == expected, replies()
        return replies()[0]

    def _hear(self, line: bytes) -> None:
        event = json.loads(line)
        self._task_id = event.get("taskId", self._task_id)
        match event:
            case {"type": "control"}:
                self._replies.append(event)
            case {"type": "assistant", "subtype": "followup", "content": str(content)}:
                self.note("asked", self._task_id, json.loads(content)["question"])
            case {"type": "assistant", "subtype": "auto_approval_max_req_reached"}:
                self.note("asked", self._task_id, event["content"])
            case {"type": "assistant", "content": str(content)} if not event.get("done"):
                self.note("delta", self._task_id, content)
            case {"type": "tool_use", "done": True, "tool_use": call}:
                self.note("asked", self._task_id, call["name"])
                if call["name"] == "switch_mode":
                    self.note("mode", self._task_id, call["input"]["mode_slug"])
            case {"type": "error", "content": str(content)}:
                self._error = content
            case {"type": "result"}:
                self._note_end(event)
            case _:
                pass

    def _note_end(self, result: dict[str, Any]) -> None:
        error, self._error = self._error, ""
        if result["success"]:
            self.note("ended", self._task_id, result["content"], "completed")
        else:
            self.note("ended", self._task_id, error, "failed" if error else "cancelled")
