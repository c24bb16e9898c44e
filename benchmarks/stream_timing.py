"""What every measured reader of a stream does: `PROGRAM ADDRESS DELTAS ROUNDS FORMAT`.

It imports nothing of ours, for peers use it in their own environment.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping

Read = Callable[[str], Awaitable[int]]
"""Reads one stream from the address and returns how many deltas of text it held."""


def main(readers: Mapping[str, Read]) -> None:
    """Print the CPU time of a delta in microseconds, once for each round."""
    address, deltas, rounds, name = sys.argv[1:]
    print(json.dumps(asyncio.run(_measure(readers[name], address, int(deltas), int(rounds)))))


async def _measure(read: Read, address: str, deltas: int, rounds: int) -> list[float]:
    taken: list[float] = []
    for _ in range(rounds + 1):
        started = time.process_time()
        found = await read(address)
        taken.append((time.process_time() - started) / deltas * 1e6)
        if found != deltas:
            sys.exit(f"{found} deltas arrived instead of {deltas}")
    return taken[1:]
