"""ReplayProvider: answers from a recording, with no model and no key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

from roo_code.errors import ProviderError
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.divergence import Comparison
from roo_code.providers.recorded_task import RecordedTask, recorded_task
from roo_code.providers.recording import Recording, place
from roo_code.providers.text_edits import edited_chunks
from roo_code.providers.translation import Translation
from roo_code.stream import StreamChunk


class ReplayProvider(BaseProvider):
    """Says what the recording says, at `speed` times its pace; 0 is at once."""

    def __init__(
        self,
        recording: Recording,
        *,
        speed: float = 1,
        task: RecordedTask | None = None,
        translation: Translation | None = None,
        comparison: Comparison | None = None,
    ) -> None:
        self._recording = recording
        self._task = task or recorded_task(recording)
        self._speed = speed
        self._translation = translation
        self._comparison = comparison
        self.last_place = -1
        """Of the last request; -1 before the first."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        index = self.last_place = place(request)
        recorded = self._task.requests.get(index)
        if self._comparison is not None and recorded is not None:
            self._comparison.check(index, recorded, request)
        reply = self._task.replies.get(index)
        if reply is None:
            raise self._nothing_left(index)
        chunks = reply.chunks
        if (told := self._translation) is not None:
            chunks = edited_chunks(chunks, told.find, told.find_in_json)
        began = time.monotonic()
        for milliseconds, chunk in chunks:
            if self._speed:
                due = began + milliseconds / 1000 / self._speed
                await asyncio.sleep(max(0, due - time.monotonic()))
            yield chunk

    def model_info(self) -> ModelInfo:
        return self._recording.header.model

    def _nothing_left(self, index: int) -> ProviderError:
        error = ProviderError(
            f"The recording {str(self._recording.path)!r} holds {len(self._task.replies)} replies "
            f"and none for model call {index + 1}: it ends before, or the task went another way "
            "than the recorded one."
        )
        error.hint = "Record the task again, or resume it with a model."
        return error
