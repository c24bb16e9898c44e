"""Where everything of ours lives: below `ROO_HOME`, by default `~/.roo`."""

from __future__ import annotations

import os
from pathlib import Path


def roo_home() -> Path:
    return Path(os.environ.get("ROO_HOME") or "~/.roo").expanduser().absolute()


def state_folder() -> Path:
    """The task store and what tasks leave behind."""
    return roo_home() / "state"


def settings_folder(home: Path | None = None) -> Path:
    """The user's settings, profiles and, where there is no keyring, encrypted secrets."""
    return (home or roo_home()) / "settings"


def profiles_file(home: Path | None = None) -> Path:
    return settings_folder(home) / "profiles.json"
