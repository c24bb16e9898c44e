"""The submodules that a repository's index names, whatever `.gitmodules` says."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from roo_code.policy.shell.plain_files import plain_bytes

_LARGEST = 256 << 20
_HEAD = struct.Struct(">4sII")
_MODE_AT, _FLAGS_AT, _NAME_AT = 24, 60, 62
_SUBMODULE = (0o160000).to_bytes(4, "big")
_LONGER = 0x4000
"""Flags that two more bytes follow."""


def submodules_in(directory: Path) -> list[str] | None:
    """Their paths; None if the index is of a kind that is not read here and may name some."""
    if not os.path.lexists(directory / "index"):
        return []
    data = plain_bytes(directory / "index", _LARGEST)
    if data is None:
        return None
    if _SUBMODULE not in data and b"link\0\0\0" not in data:
        return []
    try:
        return _paths(data)
    except (struct.error, ValueError, IndexError):
        return None


def _paths(data: bytes) -> list[str] | None:
    mark, version, count = _HEAD.unpack_from(data)
    if mark != b"DIRC" or version not in (2, 3) or b"link\0\0\0" in data:
        return None
    found: list[str] = []
    position = _HEAD.size
    for _ in range(count):
        mode = data[position + _MODE_AT : position + _MODE_AT + 4]
        flags = int.from_bytes(data[position + _FLAGS_AT : position + _NAME_AT], "big")
        start = position + _NAME_AT + (2 if flags & _LONGER else 0)
        end = data.index(b"\0", start)
        if mode == _SUBMODULE:
            found.append(data[start:end].decode())
        position += (end - position + 8) // 8 * 8
    return found
