"""Notices a model that makes the same call over and over."""

from __future__ import annotations

import json
from collections.abc import Mapping

from roo_code.json_text import JsonValue


class RepetitionDetector:
    """Counts how often the same call came right after itself. 0 as limit switches it off."""

    def __init__(self, limit: int = 3) -> None:
        self.limit = limit
        self._last = ""
        self._repeats = 0

    def is_stuck(self, name: str, input_data: Mapping[str, JsonValue]) -> bool:
        """Count this call; True if it is one repeat too many."""
        call = json.dumps([name, dict(input_data)], sort_keys=True, default=str)
        self._repeats = self._repeats + 1 if call == self._last else 0
        self._last = call
        return 0 < self.limit <= self._repeats

    def reset(self) -> None:
        self._last = ""
        self._repeats = 0
