"""FrontEnd: what any way to drive tasks can do, so that one suite can try them all.

An adapter translates between its wire and these few words. What its protocol has no way for is
in `cannot`, with the reason, and the cases that need it are skipped with that reason.
"""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import ClassVar, Literal, NamedTuple, Self

import pytest

from tests.front_ends.serving_process import SECONDS
from tests.front_ends.stage import Stage
from tests.waiting import until

Ability = Literal["deltas", "images", "kill", "several tasks", "durable queue"]
Kind = Literal["delta", "asked", "mode", "ended"]


class Happening(NamedTuple):
    kind: Kind
    task_id: str
    text: str = ""
    """What was asked or said; of an end, the result or the error."""
    status: str = ""
    """Of an end: completed, cancelled or failed."""


class FrontEnd(ABC):
    name: ClassVar[str]
    cannot: ClassVar[Mapping[Ability, str]] = {}

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.happened: list[Happening] = []
        self._taken: Counter[tuple[Kind, str]] = Counter()
        self.parents: dict[str, str] = {}
        """Of subtasks."""
        self.pid: int | None = None
        """Of the process that serves, if that is not ours."""

    def needs(self, ability: Ability) -> None:
        if reason := self.cannot.get(ability):
            pytest.skip(f"{self.name}: {reason}")

    @abstractmethod
    async def __aenter__(self) -> Self: ...

    @abstractmethod
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    @abstractmethod
    async def start(self, prompt: str, images: tuple[str, ...] = ()) -> str:
        """The new task's id; images are data URIs."""

    @abstractmethod
    async def say(self, task_id: str, text: str) -> None: ...

    @abstractmethod
    async def approve(self, task_id: str) -> None: ...

    @abstractmethod
    async def refuse(self, task_id: str, why: str) -> None: ...

    @abstractmethod
    async def answer(self, task_id: str, text: str) -> None: ...

    @abstractmethod
    async def cancel(self, task_id: str) -> None: ...

    @abstractmethod
    async def resume(self, task_id: str) -> None:
        """Go on with a task that nobody drives."""

    @abstractmethod
    async def name_unknown(self, task_id: str) -> str:
        """Name a task that there is not; what one is told, wherever that is."""

    @abstractmethod
    async def start_wrongly(self, image: str) -> str:
        """Start a task with a picture that is none; what one is told, wherever that is."""

    async def until(self, kind: Kind, task_id: str) -> Happening:
        """The next of this kind, of those not waited for yet."""
        place = self._taken[kind, task_id]
        self._taken[kind, task_id] += 1
        await until(lambda: len(self._of(kind, task_id)) > place, SECONDS)
        return self._of(kind, task_id)[place]

    def kill(self) -> None:
        """As if the machine had lost its power: only the processes die that serve."""
        assert self.pid is not None
        os.kill(self.pid, signal.SIGKILL)

    def note(self, kind: Kind, task_id: str, text: str = "", status: str = "") -> None:
        if kind == "asked":  # whoever started a task answers for those below it
            while task_id in self.parents:
                task_id = self.parents[task_id]
        self.happened.append(Happening(kind, task_id, text, status))

    def _of(self, kind: Kind, task_id: str) -> list[Happening]:
        return [h for h in self.happened if (h.kind, h.task_id) == (kind, task_id)]
