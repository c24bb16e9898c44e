"""What an output format must do: records in, text out, nothing else touched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from roo_code.cli.report import RunReport
from roo_code.errors import UserFacingError
from roo_code.events import EventRecord


class Renderer(Protocol):
    @property
    def activity(self) -> str | None:
        """What is being waited for, if anything."""
        ...

    def begin(self, task_id: str) -> Iterator[str]: ...

    def remember(self, record: EventRecord) -> None:
        """A record from before, for what later ones refer to."""
        ...

    def show(self, record: EventRecord) -> Iterator[str]: ...

    def fail(self, error: UserFacingError) -> Iterator[str]:
        """It cannot go on, and no record says so."""
        ...

    def end(self, report: RunReport) -> Iterator[str]: ...
