"""`--output-format json`: one object when all is over."""

from __future__ import annotations

import json
from collections.abc import Iterator

from roo_code.cli.report import RunReport
from roo_code.cli.stream_events import JsonEvent, StreamEvents
from roo_code.errors import UserFacingError
from roo_code.events import EventRecord


class JsonRenderer:
    activity: str | None = None

    def __init__(self) -> None:
        self._stream = StreamEvents(partial=False)
        self._events: list[JsonEvent] = []

    def begin(self, task_id: str) -> Iterator[str]:
        self._events.append(self._stream.begin(task_id))
        yield from ()

    def remember(self, record: EventRecord) -> None:
        self._stream.remember(record)

    def show(self, record: EventRecord) -> Iterator[str]:
        self._events += self._stream.show(record)
        yield from ()

    def fail(self, error: UserFacingError) -> Iterator[str]:
        self._events.append(self._stream.fail(error))
        yield from ()

    def end(self, report: RunReport) -> Iterator[str]:
        result = self._stream.result(report)
        del result["id"], result["done"]
        whole = {"type": "result", "success": result["success"], **result, "events": self._events}
        yield json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
