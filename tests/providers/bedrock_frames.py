"""Bedrock's binary replies from a readable form: on each line an event's name and its JSON.

A name with an exclamation mark before it is that of an exception.
"""

import json
from pathlib import Path

from roo_code.testing.bedrock_service import frame


def frames(text: str) -> list[bytes]:
    return [_frame(*line.split(" ", 1)) for line in text.splitlines() if line.strip()]


def frames_of(path: Path) -> bytes:
    return b"".join(frames(path.read_text(encoding="utf-8")))


def _frame(name: str, payload: str) -> bytes:
    kind = "exception" if name.startswith("!") else "event"
    return frame(name.removeprefix("!"), json.loads(payload), kind)
