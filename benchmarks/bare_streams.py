"""The floor: what httpx2 reads, cut into events and decoded, with nothing made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from struct import unpack_from
from typing import Any

import httpx2

from benchmarks.stream_timing import Read, main
from roo_code.json_text import from_json

_PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/bench:streamGenerateContent",
    "bedrock": "/model/bench/converse-stream",
    "ollama": "/api/chat",
}

_DELTAS: dict[str, Callable[[Any], bool]] = {
    "anthropic": lambda event: event["type"] == "content_block_delta",
    "openai": lambda event: any(choice["delta"].get("content") for choice in event["choices"]),
    "responses": lambda event: event["type"] == "response.output_text.delta",
    "gemini": lambda event: bool(event["candidates"][0]["content"]["parts"][0]["text"]),
    "bedrock": lambda event: "delta" in event,
    "ollama": lambda event: bool(event["message"]["content"]),
}
"""Whether it is one: a look where the text is and no further."""


def _client(name: str, address: str) -> Read:
    client = httpx2.AsyncClient(trust_env=False)
    cut = _messages if name == "bedrock" else _lines
    is_delta = _DELTAS[name]

    async def read() -> int:
        deltas, held = 0, b""
        async with client.stream("POST", address + _PATHS[name], json={}) as response:
            async for piece in response.aiter_bytes():
                events, held = cut(held + piece)
                for data in events:
                    deltas += is_delta(from_json(data))
        return deltas

    return read


def _lines(held: bytes) -> tuple[list[bytes], bytes]:
    """Of server-sent events, or with one value each."""
    *lines, rest = held.split(b"\n")
    return [line[line.index(b"{") :] for line in lines if line.endswith((b"}", b"}\r"))], rest


def _messages(held: bytes) -> tuple[list[bytes], bytes]:
    """Of Amazon's binary stream, checksums unchecked."""
    events: list[bytes] = []
    start = 0
    while len(held) - start >= 12:
        size, headers = unpack_from("!II", held, start)
        if len(held) - start < size:
            break
        events.append(held[start + 12 + headers : start + size - 4])
        start += size
    return events, held[start:]


if __name__ == "__main__":
    main({name: partial(_client, name) for name in _PATHS})
