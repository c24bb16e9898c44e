"""ReplayProvider: answers from a recording, with no model and no key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from roo_code.errors import ProviderError
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.recording import Recording, place
from roo_code.stream import StreamChunk


class ReplayProvider(BaseProvider):
    """Says what the recording says, at `speed` times its pace; 0 is at once."""

    def __init__(self, recording: Recording, *, speed: float = 1) -> None:
        self._recording = recording
        self._replies = recording.replies
        self._speed = speed

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        index = place(request)
        reply = self._replies.get(index)
        if reply is None:
            raise self._nothing_left(index)
        began = time.monotonic()
        for milliseconds, chunk in reply.chunks:
            if self._speed:
                due = began + milliseconds / 1000 / self._speed
                await asyncio.sleep(max(0, due - time.monotonic()))
            yield chunk

    def model_info(self) -> ModelInfo:
        return self._recording.header.model

    def _nothing_left(self, index: int) -> ProviderError:
        error = ProviderError(
            f"The recording {str(self._recording.path)!r} holds {len(self._replies)} replies and "
            f"none for model call {index + 1}: the task went another way than the recorded one."
        )
        error.hint = "Record the task again, or resume it with a model."
        return error
