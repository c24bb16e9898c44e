"""How the user wants commands to be run: shell, limits, terminal, environment."""

from __future__ import annotations

from collections.abc import Mapping

from roo_code.builtin_tools.terminal_screen import COLUMNS, ROWS
from roo_code.json_text import JsonValue
from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.shell import shell

__all__ = ["environment", "preview_size", "shell", "terminal_size", "user_limit"]

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


def environment(*, terminal: bool, settings: Mapping[str, JsonValue]) -> dict[str, str]:
    """Of our variables those that programs need, and what the user wants handed on as well."""
    wanted = settings.get("commandEnvironment")
    ours = child_environment(map(str, wanted) if isinstance(wanted, list) else ())
    if not any(ours.get(name) for name in _LOCALE):
        ours["LANG"] = "C.UTF-8"
    # No pager could be answered, and nothing draws colours where there is no terminal.
    kind = "xterm-256color" if terminal else "dumb"
    return ours | {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": kind, "ROO_ACTIVE": "true"}
