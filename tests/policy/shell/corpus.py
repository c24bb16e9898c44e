"""The two corpora: lines that must never run unasked, and lines that should."""

from __future__ import annotations

import json
from pathlib import Path

_DATA = Path(__file__).parent.parent / "data"


def corpus(name: str) -> dict[str, list[str]]:
    """The lines by topic."""
    topics: dict[str, list[str]] = {}
    topic = ""
    for line in (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            topic = line[2:]
        else:
            topics.setdefault(topic, []).append(json.loads(line))
    return topics
