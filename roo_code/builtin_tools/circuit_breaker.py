"""Keeps a tool that fails most of the time from being called for a while."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Literal

from msgspec import Struct


class BreakerRules(Struct, frozen=True):
    window: int = 10
    """How many of the last calls are looked at."""
    least_calls: int = 5
    """With fewer than these, no rate is taken."""
    failure_rate: float = 0.5
    """At this rate of failures the circuit opens."""
    cool_down: float = 30.0
    """Seconds until a trial call is let through."""


class CircuitBreaker:
    """Closed: calls pass. Open: none does. Half-open: one does, and its outcome decides."""

    def __init__(self, rules: BreakerRules, clock: Callable[[], float]) -> None:
        self.state: Literal["closed", "open", "half-open"] = "closed"
        self._rules = rules
        self._clock = clock
        self._outcomes: deque[bool] = deque(maxlen=rules.window)
        self._opened_at = 0.0

    def admit(self) -> bool:
        """Whether a call may be made now; one that is admitted must be reported afterwards."""
        if self.state == "open" and self.seconds_left() <= 0:
            self.state = "half-open"
            return True
        return self.state == "closed"

    def seconds_left(self) -> float:
        return max(0.0, self._opened_at + self._rules.cool_down - self._clock())

    def record(self, succeeded: bool) -> None:
        if self.state == "half-open":
            self._close() if succeeded else self._open()
            return
        self._outcomes.append(succeeded)
        failures = self._outcomes.count(False)
        enough = len(self._outcomes) >= self._rules.least_calls
        if enough and failures >= self._rules.failure_rate * len(self._outcomes):
            self._open()

    def abandon(self) -> None:
        """The admitted call came to no outcome; if it was the trial, the next one is."""
        if self.state == "half-open":
            self.state = "open"

    def _open(self) -> None:
        self.state = "open"
        self._opened_at = self._clock()

    def _close(self) -> None:
        self.state = "closed"
        self._outcomes.clear()
