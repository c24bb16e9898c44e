"""A model that streams: addresses are `/DELTAS/A_WRITE/PAUSE/…`, the rest is the format's own.

Each event is a chunk of HTTP by itself, as services send them, so many of them in each write to the
socket, and a pause in milliseconds after each write. Where there is a pause, the text of a delta is
the time at which it was sent.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import batched
from typing import Any, NamedTuple, Protocol

from roo_code.testing.anthropic_service import AnthropicService
from roo_code.testing.bedrock_service import BedrockService
from roo_code.testing.gemini_service import GeminiService
from roo_code.testing.model_replies import ScriptedReply
from roo_code.testing.ollama_service import OllamaService
from roo_code.testing.openai_service import OpenAiService
from roo_code.testing.responses_service import ResponsesService

_SAMPLE = 'Here is the fix:\n\n```python\ndef read(path: str) -> str:\n    return "ü"\n```\nIt '
_PIECE = 4
"""Characters in a delta: about what a token has."""
_STAMP = f"{0:017.6f}"
_LAST_CHUNK = b"0\r\n\r\n"


class Service(Protocol):
    path: str
    media_type: str

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]: ...


SERVICES: Mapping[str, Service] = {
    service.path: service
    for service in (
        AnthropicService(),
        OpenAiService(),
        ResponsesService(),
        GeminiService(),
        BedrockService(),
        OllamaService(),
    )
}
