"""RunRecorder: everything of a run, subtasks too, into one recording."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from roo_code.config.schema import ProviderSettings
from roo_code.events import ApprovalDecided, EventRecord, ToolFinished
from roo_code.providers.afterwards import record_missing
from roo_code.providers.base import PLACE, BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.places import Places
from roo_code.providers.recorder import RecordingProvider, RecordingWriter, check_target
from roo_code.redaction import Redactor, named_secrets
from roo_code.stream import StreamChunk


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """Whose replies are to be recorded, and where they are asked for."""

    task_id: str
    is_subtask: bool
    settings: ProviderSettings
    places: Places


def run_secrets(settings: ProviderSettings | None = None) -> list[str]:
    """What this process knows to be secret: of its environment, and of a provider's settings."""
    secrets = list(named_secrets(os.environ))
    if settings is not None:
        secrets += settings.secrets
        secrets += named_secrets(settings.headers)
    return secrets


def new_recording(path: Path, call: RecordedCall, model: ModelInfo) -> RecordingWriter:
    """For one that is made afterwards, all at once."""
    check_target(path, goes_on=False)
    return _writer(path, call, model, Redactor(run_secrets(call.settings)))


def _writer(path: Path, call: RecordedCall, model: ModelInfo, scrub: Redactor) -> RecordingWriter:
    return RecordingWriter(
        path,
        call.settings.api_provider,
        model,
        task=None if call.is_subtask else call.task_id,
        settings=call.settings.without_secrets(),
        places=call.places.folders,
        scrub=scrub,
    )


class RunRecorder:
    """Give every provider of the run through `recorded`, and every record to `note`."""

    def __init__(self, path: Path, *, goes_on: bool = False) -> None:
        """`goes_on`: a task of before, whose recording may exist already."""
        check_target(path, goes_on=goes_on)
        self._path = path
        self._scrub = Redactor()
        self._writer: RecordingWriter | None = None
        self._subtasks: set[str] = set()
        self._decisions: dict[tuple[str, str], ApprovalDecided] = {}

    def recorded(self, provider: BaseProvider, call: RecordedCall) -> BaseProvider:
        self._scrub.add(run_secrets(call.settings))
        if call.is_subtask:
            self._subtasks.add(call.task_id)
        if self._writer is None:
            self._writer = _writer(self._path, call, provider.model_info(), self._scrub)
        return _FilledIn(provider, self._writer, self._label(call.task_id))

    def note(self, record: EventRecord) -> None:
        event, task_id = record.event, record.task_id
        if isinstance(event, ApprovalDecided):
            self._decisions[task_id, event.tool_use_id] = event
        elif isinstance(event, ToolFinished) and self._writer is not None:
            decision = self._decisions.pop((task_id, event.result.tool_use_id), None)
            self._writer.tool_result(event.result, self._label(task_id), decision)

    def close(self) -> None:
        """Raises what kept the recording from being whole."""
        if self._writer is not None:
            self._writer.close()

    def _label(self, task_id: str) -> str | None:
        return task_id if task_id in self._subtasks else None


class _FilledIn(RecordingProvider):
    """Records with the first request what the task did before it was recorded."""

    _is_filled = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        if not self._is_filled and PLACE not in request.metadata:
            self._is_filled = True
            record_missing(self._writer, request, self._task)
        async with aclosing(super().stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk
