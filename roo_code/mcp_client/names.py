"""The names under which a model calls the tools of MCP servers: `mcp--server--tool`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

LONGEST_NAME = 64
"""What the services accept."""
PREFIX = "mcp--"
_SPACE = re.compile(r"\s+")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_DASHES = re.compile(r"--+")
_DIGEST = 8


class ToolPlace(NamedTuple):
    server: str
    tool: str


def native_names(places: Iterable[ToolPlace]) -> dict[str, ToolPlace]:
    """Each tool under a name of its own; what would be too long, or alike, ends in a digest."""
    places = list(dict.fromkeys(places))
    plain = {place: f"{PREFIX}{_part(place.server)}--{_part(place.tool)}" for place in places}
    counted = Counter(plain.values())
    named: dict[str, ToolPlace] = {}
    for place, name in plain.items():
        if len(name) > LONGEST_NAME or counted[name] > 1:
            digest = sha256("\0".join(place).encode("utf-8", "replace")).hexdigest()[:_DIGEST]
            name = f"{name[: LONGEST_NAME - _DIGEST - 1]}-{digest}"
        named[name] = place
    return named


def find_tool(name: str, named: Mapping[str, ToolPlace]) -> ToolPlace | None:
    """By its name, or by what models make of it: other dashes, underscores for dashes."""
    if name in named:
        return named[name]
    alike = [place for known, place in named.items() if loose(known) == loose(name)]
    return alike[0] if len(alike) == 1 else None


def loose(name: str) -> str:
    """What names have in common that differ in dashes and underscores only."""
    return name.replace("-", "_")


def _part(text: str) -> str:
    safe = _DASHES.sub("-", _UNSAFE.sub("", _SPACE.sub("_", text.strip())))
    if not safe:
        return "_"
    return safe if safe[0].isalpha() or safe[0] == "_" else f"_{safe}"
