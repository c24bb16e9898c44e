"""Ids of tool calls in the letters that a service takes; different ids stay different."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORT = re.compile(r"[A-Za-z0-9]{9}")


def safe_id(id: str) -> str:
    """The id as every service takes it: a call and its result map to the same."""
    if _PLAIN.fullmatch(id):
        return id
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', id)[:52]}_{_digest(id)[:11]}"


def short_id(id: str) -> str:
    """The id as nine letters and digits, which is all that Mistral takes."""
    return id if _SHORT.fullmatch(id) else _digest(id)[:9]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
