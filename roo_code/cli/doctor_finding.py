"""What a check found."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Finding(NamedTuple):
    name: str
    state: Literal["ok", "note", "missing", "broken"]
    """Missing is what is not needed for everything; a note does not hinder anything."""
    text: str
    fix: str = ""
