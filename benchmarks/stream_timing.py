"""What every measured reader of a stream does: `PROGRAM ADDRESS DELTAS ROUNDS FORMAT`.

It imports nothing of ours, for peers use it in their own environment.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping

Read = Callable[[], Awaitable[int]]
"""Reads one stream and returns how many deltas of text it held."""
Client = Callable[[str], Read]
"""Given an address; what it makes serves for many streams, so that only those are measured."""


def main(clients: Mapping[str, Client]) -> None:
    """Print the CPU time of a delta in microseconds, once for each round."""
    address, deltas, rounds, name = sys.argv[1:]
    print(json.dumps(asyncio.run(_measure(clients[name], address, int(deltas), int(rounds)))))


async def _measure(client: Client, address: str, deltas: int, rounds: int) -> list[float]:
    read = client(address)
    taken: list[float] = []
    for _ in range(rounds + 1):
        started = time.process_time()
        found = await read()
        taken.append((time.process_time() - started) / deltas * 1e6)
        if found != deltas:
            sys.exit(f"{found} deltas arrived instead of {deltas}")
    return taken[1:]
