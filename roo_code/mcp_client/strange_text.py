"""Texts of strangers, made fit to be shown to a person."""

from __future__ import annotations

import unicodedata

LONGEST = 2000
LONGEST_LABEL = 200


def shown(text: str, most: int = LONGEST) -> str:
    """Without characters that steer a screen or turn the direction of writing, and not too long."""
    clean = "".join(c for c in text if c == "\n" or unicodedata.category(c)[0] != "C").strip()
    if len(clean) <= most:
        return clean
    return f"{clean[:most]}… ({len(clean) - most:,} more characters)"


def label(text: str) -> str:
    """In one short line."""
    return shown(" ".join(text.split()), LONGEST_LABEL)
