"""What tools keep for one task between calls: a browser, commands in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar


class Closable(Protocol):
    async def aclose(self) -> None:
        """Let go of everything, processes included; safe to call twice."""
        ...


R = TypeVar("R", bound=Closable)


class TaskResources:
    """One of each kind. Closed when the task ends or is cancelled, and with its process.

    A parked task keeps them: a server in the background goes on while a person decides.
    """

    def __init__(self) -> None:
        self._kept: dict[type, Any] = {}

    def get(self, kind: type[R], make: Callable[[], R]) -> R:
        """The task's one resource of this kind, made now if there is none."""
        if kind not in self._kept:
            self._kept[kind] = make()
        return self._kept[kind]

    def find(self, kind: type[R]) -> R | None:
        return self._kept.get(kind)

    @property
    def is_empty(self) -> bool:
        return not self._kept

    async def aclose(self) -> None:
        """Close all, the latest first; one that fails does not keep the others open."""
        kept, self._kept = list(self._kept.values()), {}
        failures: list[Exception] = []
        for resource in reversed(kept):
            try:
                await resource.aclose()
            except (OSError, RuntimeError) as error:
                failures.append(error)
        if failures:
            raise ExceptionGroup("Some of a task's resources could not be closed.", failures)
