"""How the user wants commands to be run: shell, limits, terminal, environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath

from roo_code.builtin_tools.terminal_screen import COLUMNS, ROWS
from roo_code.json_text import JsonValue

_PREVIEWS = {"small": 5 * 1024, "medium": 10 * 1024, "large": 20 * 1024}
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")


def preview_size(settings: Mapping[str, JsonValue]) -> int:
    """How much of a command's output the model is shown at once."""
    return _PREVIEWS.get(str(settings.get("terminalOutputPreviewSize")), _PREVIEWS["medium"])


def user_limit(command: str, settings: Mapping[str, JsonValue]) -> float | None:
    """Seconds after which the user wants any command killed that the user did not except."""
    limit = settings.get("commandExecutionTimeout")
    excepted = settings.get("commandTimeoutAllowlist")
    if not isinstance(limit, int | float) or limit <= 0:
        return None
    words = command.split()
    for entry in excepted if isinstance(excepted, list) else ():
        prefix = str(entry).split()
        if prefix and words[: len(prefix)] == prefix:
            return None
    return float(limit)


def terminal_size(
    *, wanted: bool | None, settings: Mapping[str, JsonValue]
) -> tuple[int, int] | None:
    """Rows and columns if the call, or else the user, wants a terminal; None for a pipe."""
    if wanted is None:
        wanted = settings.get("terminalShellIntegrationDisabled") is False
    return (ROWS, COLUMNS) if wanted else None


def shell(settings: Mapping[str, JsonValue]) -> str:
    """The user's shell if it understands what models write, else bash, else sh."""
    chosen = settings.get("execaShellPath")
    if isinstance(chosen, str) and chosen:
        return chosen
    users = os.environ.get("SHELL", "")
    candidates = [users] if PurePath(users).name in {"bash", "zsh"} else []
    candidates += ["/bin/bash", "/usr/bin/bash"]
    return next((shell for shell in candidates if os.access(shell, os.X_OK)), "/bin/sh")


def environment(*, terminal: bool) -> dict[str, str]:
    ours = dict(os.environ)
    if not any(ours.get(name) for name in _LOCALE):
        ours["LANG"] = "C.UTF-8"
    # No pager could be answered, and nothing draws colours where there is no terminal.
    kind = "xterm-256color" if terminal else "dumb"
    return ours | {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": kind, "ROO_ACTIVE": "true"}
