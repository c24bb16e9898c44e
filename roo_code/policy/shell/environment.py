"""Variables that may be set or shown: those that change nothing about what runs.

A list of what is harmless, not of what is not: PATH, LD_PRELOAD, GIT_*, PAGER, NODE_OPTIONS and
whatever the next tool invents are all on the other side of it.
"""

from __future__ import annotations

import re

from roo_code.policy.shell.values import Word

_SETTABLE = frozenset(
    """CI DEBUG NODE_ENV APP_ENV RAILS_ENV RACK_ENV MIX_ENV RUST_BACKTRACE RUST_LOG LOG_LEVEL
    NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LANG LC_ALL LC_CTYPE TZ
    PYTHONDONTWRITEBYTECODE PORT HOST PYTHONUNBUFFERED PYTHONHASHSEED PYTHONIOENCODING
    PYTHONUTF8 GOOS GOARCH CGO_ENABLED COLUMNS LINES DJANGO_SETTINGS_MODULE FLASK_ENV COVERAGE
    VERBOSE TEST TESTING SKIP SEED UPDATE_SNAPSHOTS CARGO_TERM_COLOR CARGO_INCREMENTAL""".split()  # noqa: SIM905 - shorter so
)
_SHOWN = frozenset({"HOME", "PATH", "PWD", "OLDPWD", "USER", "SHELL", "LANG", "TERM", "HOSTNAME",
                    "VIRTUAL_ENV", "RANDOM", "SECONDS", "LINENO", "UID", *_SETTABLE})  # fmt: skip
_OWN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_NOT_ONES_OWN = re.compile(
    # Tied to PATH and the like in zsh, or read by programs although in small letters.
    r"_|.*proxy|npm_config.*|f?path|cdpath|manpath|module_path|mailpath|fignore|prompt|psvar|argv|"
    r"status|commands|functions|aliases|options|histchars"
)
_VALUE = re.compile(r"[A-Za-z0-9_.,:=+*/ -]*")


def may_prefix(name: str, value: Word) -> bool:
    """Whether a variable may be set for a command, or for those after it."""
    if value.text is None or not _VALUE.fullmatch(value.text):
        return False
    if name == "PYTHONPATH":
        return not value.text.startswith("/") and ".." not in value.text and ":/" not in value.text
    return name in _SETTABLE


def may_assign(name: str) -> bool:
    """Whether a line may keep something for itself under this name."""
    if name in _SETTABLE:
        return True
    return bool(_OWN_NAME.fullmatch(name)) and not _NOT_ONES_OWN.fullmatch(name)


def may_show(name: str) -> bool:
    """Whether the value may become part of a command: a key must not reach the model."""
    return name in _SHOWN
