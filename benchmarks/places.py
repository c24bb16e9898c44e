"""Where things are, and what a measured process finds around it."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "benchmarks" / ".bench"
"""Ignored by git: peers that are no Python packages, and the homes of all agents."""
OUR_BIN = Path(sys.executable).parent
PEER_BIN = ROOT / ".venv-bench" / "bin"
PEERS = ROOT / "benchmarks" / "peers"

_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")


def clean_environment(**more: str) -> dict[str, str]:
    """Nothing of the caller's settings, keys, proxies or Python switches."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {"HOME": str(home("shared")), "TERM": "dumb"} | more


def home(name: str) -> Path:
    """A home folder that stays from run to run, as a user's does; not below the temporary folder,
    where codex works differently."""
    folder = CACHE / "homes" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def forget_homes() -> None:
    shutil.rmtree(CACHE / "homes", ignore_errors=True)


@contextmanager
def scratch() -> Generator[Path]:
    """A folder outside the repository, so that no agent finds our own rules and history."""
    with tempfile.TemporaryDirectory(prefix="roo-bench-") as folder:
        yield Path(folder).resolve()


def compile_bytecode() -> None:
    """Nobody pays for compiling while measured; installed packages are compiled already."""
    for folder in (ROOT / "roo_code", ROOT / "benchmarks"):
        compileall.compile_dir(folder, quiet=2, workers=0)
