"""Which shell commands are run in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath

from roo_code.json_text import JsonValue


def shell(settings: Mapping[str, JsonValue]) -> str:
    """The user's shell if it understands what models write, else bash, else sh."""
    chosen = settings.get("execaShellPath")
    if isinstance(chosen, str) and chosen:
        return chosen
    users = os.environ.get("SHELL", "")
    candidates = [users] if PurePath(users).name in {"bash", "zsh"} else []
    candidates += ["/bin/bash", "/usr/bin/bash"]
    return next((shell for shell in candidates if os.access(shell, os.X_OK)), "/bin/sh")
