"""Where Chromium is on this machine, and what to do where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib import import_module

from roo_code.errors import ToolError

VARIABLE = "ROO_CHROMIUM"
_NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("microsoft-edge", "brave-browser"),
)
_ON_A_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def require_playwright() -> None:
    """An error that says how to get the library, where it is not installed."""
    try:
        import_module("playwright.async_api")
    except ImportError as error:
        raise ToolError(
            "The browser needs Playwright, which is not installed. Tell the user: "
            "`pip install 'roo-code[browser]'`."
        ) from error


def find_chromium(playwrights_own: str) -> str:
    """What the variable names, else the system's, else the one that Playwright installed."""
    if chosen := os.environ.get(VARIABLE):
        if found := shutil.which(chosen):
            return found
        raise ToolError(f"{VARIABLE} is set to {chosen!r}, which is not a program. Tell the user.")
    for found in _candidates(playwrights_own):
        return found
    raise ToolError(
        "There is no Chromium on this machine, so the browser cannot be used. Tell the user how "
        "to get one: `apt install chromium` (or the like), or `playwright install chromium`, or "
        f"set {VARIABLE} to the path of one."
    )


def _candidates(playwrights_own: str) -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from (path for path in (*_ON_A_MAC, playwrights_own) if os.access(path, os.X_OK))


def is_root() -> bool:
    """Chromium has no sandbox for root, and does not start if it is told to use one."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
