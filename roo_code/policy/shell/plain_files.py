"""Files of a stranger, read so that none of them keeps us waiting or fills our memory."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def plain_bytes(file: Path, most: int) -> bytes | None:
    """What a plain file holds; None if it is none, is larger, or cannot be read."""
    try:
        # Without O_NONBLOCK, opening a named pipe waits for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        try:
            return opened.read(most)
        except OSError:
            return None
