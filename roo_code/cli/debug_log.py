"""`--debug`: what happens behind the screen, in a file."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from roo_code.config.paths import roo_home


def log_to_file() -> Path:
    """Everything logged from here on is appended to the file, which only the user may read."""
    path = roo_home() / "cli-debug.log"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    stream = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    )
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    return path
