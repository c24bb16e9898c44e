"""A settings file that is there and cannot be used."""

from __future__ import annotations


class Unreadable(Exception):
    """The message says why, and `line` where."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
