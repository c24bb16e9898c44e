"""`roo mcp serve` on standard input and output: tasks by tool calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.front_ends.front_end import Ability, FrontEnd, Happening, Kind
from tests.front_ends.serving_process import ServingProcess

_ENDED = ("completed", "cancelled", "failed")


class OverMcp(FrontEnd):
    name = "MCP"
    cannot: ClassVar[Mapping[Ability, str]] = {
        "deltas": "a tool call is answered once; progress tells whole messages"
    }

    async def __aenter__(self) -> Self:
        self._requests = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._process = await ServingProcess.start(
            self.stage, self._hear,
            "mcp", "serve", "--workspace", str(self.stage.workspace),
            "--approve", self.stage.level,
        )  # fmt: skip
        self.pid = self._process.pid
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t"}}
        await self._ask("initialize", about)
        await self._process.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._process.aclose()

    async def start(self, prompt: str, images: tuple[str, ...] = ()) -> str:
        more = {"images": list(images)} if images else {}
        return (await self.call("start_task", prompt=prompt, **more))["task_id"]

    async def say(self, task_id: str, text: str) -> None:
        await self.call("answer_task", task_id=task_id, text=text)

    async def approve(self, task_id: str) -> None:
        await self.call("answer_task", task_id=task_id, approved=True)

    async def refuse(self, task_id: str, why: str) -> None:
        await self.call("answer_task", task_id=task_id, approved=False, text=why)

    async def answer(self, task_id: str, text: str) -> None:
        await self.say(task_id, text)

    async def cancel(self, task_id: str) -> None:
        await self.call("cancel_task", task_id=task_id)

    async def resume(self, task_id: str) -> None:
        """Whoever watches a task sees to it that it goes on."""

    async def name_unknown(self, task_id: str) -> str:
        result = await self.result("answer_task", task_id=task_id, text="Hello?")
        assert result["isError"]
        return result["content"][0]["text"]

    async def start_wrongly(self, image: str) -> str:
        result = await self.result("start_task", prompt="Look.", images=[image])
        assert result["isError"]
        return result["content"][0]["text"]

    async def until(self, kind: Kind, task_id: str) -> Happening:
        """Nothing is told unasked: the task is watched until it pauses, and looked at."""
        state = await self.call("watch_task", task_id=task_id, timeout=20)
        match kind:
            case "asked":
                ask = state["waiting_for"][0]
                return Happening(kind, task_id, ask.get("tool") or ask["question"])
            case "mode":
                return Happening(kind, task_id, state["mode"])
            case _:
                assert state["status"] in _ENDED, state
                told = state.get("result") or state.get("error") or ""
                return Happening("ended", task_id, told, state["status"])

    async def call(self, name: str, **arguments: Any) -> Any:
        result = await self.result(name, **arguments)
        assert not result["isError"], result
        return json.loads(result["content"][0]["text"])

    async def result(self, name: str, **arguments: Any) -> dict[str, Any]:
        return await self._ask("tools/call", {"name": name, "arguments": arguments})

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._requests += 1
        id = self._requests
        await self._process.write({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        await self._process.until(lambda: id in self._answers)
        answer = self._answers[id]
        assert "result" in answer, answer
        return answer["result"]

    def _hear(self, line: bytes) -> None:
        message = json.loads(line)
        if "id" in message:
            self._answers[message["id"]] = message
