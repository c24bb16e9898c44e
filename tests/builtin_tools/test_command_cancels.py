"""A thousand commands are cancelled, at any moment of their lives; nothing stays."""

import asyncio
import os
import uuid
from pathlib import Path

import pytest

from tests.builtin_tools.calls import Caller, eventually

BATCHES, IN_A_BATCH = 25, 40


def running(word: str) -> list[str]:
    """The processes that have the word in their command line."""
    found: list[str] = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                line = Path(entry.path, "cmdline").read_bytes()
            except OSError:
                continue  # it has ended
            if word.encode() in line:
                found.append(line.decode("utf-8", "replace"))
    return found


@pytest.mark.requirement("tools:execute-command:live-and-bounded")
async def test_cancelled_commands_leave_nothing_behind(caller: Caller) -> None:
    word = uuid.uuid4().hex
    child = f"(exec -a {word} sleep 1041) & "
    daemon = f"(setsid bash -c 'exec -a {word} sleep 1042') & "
    for batch in range(BATCHES):
        caller.events.clear()
        calls = [
            asyncio.create_task(
                caller.call(
                    "execute_command",
                    command=f"{child}{daemon if n % 10 == 0 else ''} echo up; wait # {n}",
                    terminal=n % 4 == 0,
                )
            )
            for n in range(IN_A_BATCH)
        ]
        if batch % 3 == 0:  # all of them run
            await eventually(lambda: caller.live.count("up\n") == IN_A_BATCH)
        elif batch % 3 == 1:  # some do
            await eventually(lambda: "up\n" in caller.live)
        else:  # they are being started
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        assert running(word) == []
