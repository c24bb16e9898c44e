"""A `roo` process that serves another program, and what it says."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any

from tests.front_ends.stage import Stage
from tests.waiting import until

SECONDS = 30


class ServingProcess:
    """Each line that it prints goes to `hear`; what it says on stderr is kept."""

    def __init__(self, process: Process, hear: Callable[[bytes], None]) -> None:
        self.pid = process.pid
        self._process = process
        self._errors = bytearray()
        assert process.stdout
        assert process.stderr
        self._readers = [
            asyncio.create_task(_read(process.stdout, hear)),
            asyncio.create_task(_read(process.stderr, self._errors.extend)),
        ]

    @classmethod
    async def start(
        cls, stage: Stage, hear: Callable[[bytes], None], *arguments: str
    ) -> ServingProcess:
        process = await asyncio.create_subprocess_exec(
            *stage.command(*arguments),
            stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=1 << 24,
            env=stage.environment, start_new_session=True,
        )  # fmt: skip
        return cls(process, hear)

    @property
    def errors(self) -> str:
        return self._errors.decode(errors="replace")

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    async def write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Until it holds; a process that has ended will not bring that about."""

        def holds() -> bool:
            if not condition():
                assert self.exit_code is None, f"it has ended: {self.errors}"
            return condition()

        await until(holds, SECONDS)

    async def wait(self) -> int:
        code = await self._process.wait()
        await asyncio.gather(*self._readers)
        return code

    async def aclose(self) -> None:
        if self._process.returncode is None:
            self._process.terminate()
        if self._process.stdin:
            self._process.stdin.close()
        await self.wait()


async def _read(stream: asyncio.StreamReader, hear: Callable[[bytes], None]) -> None:
    while line := await stream.readline():
        hear(line)
