"""`--debug`: what happens behind the screen, in a file."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from roo_code.config.paths import roo_home
from roo_code.errors import ConfigError
from roo_code.redaction import redact


class WithoutKeys(logging.Formatter):
    """Over the finished text, tracebacks too: keys come in by arguments and by errors alike."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def log_to_file() -> Path:
    """Everything logged from here on is appended to the file, which only the user may read."""
    path = roo_home() / "cli-debug.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise ConfigError(
            f"The log {str(path)!r} cannot be written: {error.strerror}.",
            hint="Leave out --debug, or set ROO_HOME to another folder.",
        ) from error
    stream = os.fdopen(fd, "a", encoding="utf-8", errors="backslashreplace")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(WithoutKeys("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    return path
