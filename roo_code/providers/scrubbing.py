"""Keeps the key out of messages, wherever it comes back from."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_SHORTEST = 4
"""A shorter secret is none, and would be found in every word."""


class Scrubber:
    def __init__(self, key: str | None, headers: Mapping[str, str]) -> None:
        values = [key or ""]
        for name, value in headers.items():
            if _SECRET_HEADER.search(name):
                values += [value, value.rpartition(" ")[2]]
        secrets = {value for value in values if len(value) >= _SHORTEST}
        # A pattern and not a list: it has no readable form. One secret may be part of another.
        longest_first = sorted(secrets, key=len, reverse=True)
        self._replace = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)").sub

    def __call__(self, text: str) -> str:
        return self._replace("***", text)
