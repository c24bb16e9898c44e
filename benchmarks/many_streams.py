"""Many streams at once in one process: `ours|bare ADDRESS STREAMS`; every text is its sending time.

Printed as JSON: CPU time of a stream, and in milliseconds how late deltas were and how far apart.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import httpx2

from benchmarks.our_streams import settings
from roo_code.json_text import from_json
from roo_code.messages import Message
from roo_code.providers.base import ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.stream import BlockDelta

Stream = Callable[[], AsyncIterator[str]]
"""Begins a stream and yields the texts of its deltas."""


def ours(address: str) -> Stream:
    provider = create_provider(settings("openai", address))
    request = ModelRequest(system_prompt="", messages=(Message.from_user("Go on."),))

    async def texts() -> AsyncIterator[str]:
        async for chunk in provider.stream(request):
            if isinstance(chunk, BlockDelta):
                yield chunk.text

    return texts


def bare(address: str) -> Stream:
    """httpx2 and the JSON parser alone."""
    client = httpx2.AsyncClient(trust_env=False, limits=httpx2.Limits(max_connections=None))

    async def texts() -> AsyncIterator[str]:
        async with client.stream("POST", f"{address}/v1/chat/completions", json={}) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    for choice in from_json(line[6:])["choices"]:
                        if text := choice["delta"].get("content"):
                            yield text

    return texts


async def _watch(stream: Stream) -> list[tuple[float, float]]:
    """When each delta was sent and when it was here."""
    return [(float(text), time.monotonic()) async for text in stream()]


async def _measure(stream: Stream, streams: int) -> dict[str, float]:
    await _watch(stream)
    started = time.process_time()
    seen = await asyncio.gather(*(_watch(stream) for _ in range(streams)))
    seconds = time.process_time() - started
    late = [here - sent for times in seen for sent, here in times]
    gaps = [after - before for times in seen for (_, before), (_, after) in pairwise(times)]
    return {
        "cpu_ms": seconds / streams * 1000,
        "cpu_us": seconds / len(late) * 1e6,
        "late_p50": _percentile(late, 50),
        "late_p99": _percentile(late, 99),
        "late_max": max(late) * 1000,
        "gap_p99": _percentile(gaps, 99),
        "gap_max": max(gaps) * 1000,
    }


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[len(values) * percent // 100] * 1000


if __name__ == "__main__":
    who, address, number = sys.argv[1:]
    chosen = {"ours": ours, "bare": bare}[who](address)
    print(json.dumps(asyncio.run(_measure(chosen, int(number)))))
