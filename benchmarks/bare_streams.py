"""The floor: what httpx2 reads, cut into events and decoded, with nothing made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
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


def _client(path: str, is_delta: Callable[[Any], bool], address: str) -> Read:
    client = httpx2.AsyncClient(trust_env=False)

    async def read() -> int:
        deltas = 0
        async with client.stream("POST", address + path, json={}) as response:
            pieces = response.aiter_bytes()
            events = _messages(pieces) if path.endswith("converse-stream") else _lines(pieces)
            async for data in events:
                deltas += is_delta(from_json(data))
        return deltas

    return read


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Of server-sent events, or with one value each."""
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {"):
                yield line[6:]
            elif line.startswith(b"{"):
                yield line


async def _messages(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    held = b""
    async for piece in pieces:
        held += piece
        while len(held) >= 12 and len(held) >= (size := unpack_from("!I", held)[0]):
            yield held[12 + unpack_from("!I", held, 4)[0] : size - 4]
            held = held[size:]


def _is_delta(format: str) -> Callable[[Any], bool]:
    """Looks where the text is and no further."""
    return {
        "anthropic": lambda event: event["type"] == "content_block_delta",
        "openai": lambda event: any(choice["delta"].get("content") for choice in event["choices"]),
        "responses": lambda event: event["type"] == "response.output_text.delta",
        "gemini": lambda event: bool(event["candidates"][0]["content"]["parts"][0]["text"]),
        "bedrock": lambda event: "delta" in event,
        "ollama": lambda event: bool(event["message"]["content"]),
    }[format]


if __name__ == "__main__":
    main({name: partial(_client, path, _is_delta(name)) for name, path in _PATHS.items()})
