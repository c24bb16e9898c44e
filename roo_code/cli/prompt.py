"""The prompt: from the command line, a file or a pipe."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from roo_code.cli.options import RunOptions
from roo_code.errors import ConfigError

_STDIN = "-"


def read_prompt(options: RunOptions) -> str | None:
    """What the user wants, or None if nothing was said."""
    if options.prompt_file is not None:
        prompt = _read_file(options.prompt_file)
    elif options.prompt == _STDIN:
        prompt = _decoded(sys.stdin.buffer.read(), "The standard input")
    elif options.prompt is not None:
        prompt = _checked(options.prompt)
    elif not options.resumes and options.replay is None and _is_piped():
        prompt = _decoded(sys.stdin.buffer.read(), "The standard input")
    else:
        return None
    if not prompt.strip():
        raise ConfigError("The prompt is empty.", hint='Say what to do: roo "PROMPT"')
    return prompt


def _read_file(name: str) -> str:
    if name == _STDIN:
        return _decoded(sys.stdin.buffer.read(), "The standard input")
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The prompt file {name!r} cannot be read: {error.strerror or error}."
        ) from error
    return _decoded(data, f"The prompt file {name!r}")


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{what} is not valid UTF-8: byte {data[error.start]:#04x} at offset {error.start}.",
            hint="Save it as UTF-8, for example with: iconv -t UTF-8",
        ) from error


def _checked(prompt: str) -> str:
    """Python lets bytes of the command line through that are no text at all."""
    return _decoded(os.fsencode(prompt), "The prompt")


def _is_piped() -> bool:
    """A pipe or a file, which end; not a terminal, nor /dev/null."""
    try:
        kind = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)
