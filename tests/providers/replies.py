"""Replies as text, decoded, for tests of both formats."""

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any

from roo_code.messages import Message
from roo_code.providers.event_stream import EventStreamParser
from roo_code.providers.framing import Framing, LineParser
from roo_code.providers.protocols.base import Decoder
from roo_code.providers.protocols.bedrock_events import BedrockDecoder
from roo_code.providers.protocols.ollama_lines import OllamaDecoder
from roo_code.providers.sse import SseParser
from roo_code.stream import ApiStream, StreamChunk

_FRAMINGS: dict[type, Callable[[], Framing]] = {
    BedrockDecoder: EventStreamParser,
    OllamaDecoder: LineParser,
}
"""Where they are not server-sent events."""


def event(data: Any, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def chunks_of(decoder: Decoder, sent: Iterable[bytes]) -> list[StreamChunk]:
    """Every chunk of the reply; raises as a provider would."""
    parser = _FRAMINGS.get(type(decoder), SseParser)()
    chunks: list[StreamChunk] = []
    for part in sent:
        for found in parser.feed(part):
            chunks += decoder.feed(found)
            if decoder.done:
                return chunks
    for found in parser.finish():
        chunks += decoder.feed(found)
    return [*chunks, *decoder.end()]


async def message_of(chunks: Iterable[StreamChunk]) -> Message:
    async def send() -> AsyncGenerator[StreamChunk]:
        for chunk in chunks:
            yield chunk

    return await ApiStream(send()).get_final_message()
