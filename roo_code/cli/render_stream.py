"""`--output-format stream-json`: one JSON event per line, as it happens."""

from __future__ import annotations

import json
from collections.abc import Iterator

from roo_code.cli.report import RunReport
from roo_code.cli.stream_events import JsonEvent, StreamEvents
from roo_code.errors import UserFacingError
from roo_code.events import EventRecord


class StreamRenderer:
    activity: str | None = None

    def __init__(self) -> None:
        self._events = StreamEvents(partial=True)
        self._begun = False

    def begin(self, task_id: str) -> Iterator[str]:
        self._begun = True
        yield _line(self._events.begin(task_id))

    def remember(self, record: EventRecord) -> None:
        self._events.remember(record)

    def show(self, record: EventRecord) -> Iterator[str]:
        for event in self._events.show(record):
            yield _line(event)

    def fail(self, error: UserFacingError) -> Iterator[str]:
        if not self._begun:
            yield from self.begin("")
        yield _line(self._events.fail(error))

    def end(self, report: RunReport) -> Iterator[str]:
        yield _line(self._events.result(report))


def _line(event: JsonEvent) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n"
