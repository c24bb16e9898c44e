"""Names for what a sandbox leaves behind if we are killed, so that the next one can tidy up."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "roo-sandbox-"

_numbers = itertools.count(1)


def own_name() -> str:
    """Another one at each call; it tells which process it belongs to."""
    return f"{_PREFIX}{os.getpid()}-{next(_numbers)}-"


def orphans(folder: Path) -> Iterator[Path]:
    """What is in the folder and belonged to processes of this user that are gone."""
    for path in folder.glob(f"{_PREFIX}*"):
        owner = path.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists() and _is_ours(path):
            yield path


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.geteuid()
    except OSError:
        return False
