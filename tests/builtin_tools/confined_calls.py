"""A user with a home, a workspace and something beside it, and tools called by that user."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sandbox.box import ROOT, SECRET, uid_of


class ConfinedDriver:
    """A process of the user that calls tools as it is told."""

    def __init__(self, uid: int) -> None:
        drop = [str(uid)] if uid != os.geteuid() else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.builtin_tools.confined_driver", *drop],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MY_API_KEY": SECRET},
        )  # fmt: skip

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@dataclass(frozen=True)
class ConfinedUser:
    driver: ConfinedDriver
    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def workspace(self) -> Path:
        return self.base / "workspace"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    def call(self, tool: str, /, mode: str = "required", **input: Any) -> dict[str, Any]:
        places = {"workspace": str(self.workspace), "home": str(self.home)}
        limits = {"processes": 60, "memoryMb": 300}
        settings = {"sandbox": mode, "sandboxLimits": limits}
        return self.driver.ask({**places, "tool": tool, "input": input, "settings": settings})


@contextmanager
def confined_user(user: str, driver: ConfinedDriver) -> Generator[ConfinedUser]:
    found = ConfinedUser(driver, Path(tempfile.mkdtemp(prefix="roo-user-")))
    for folder in (found.home, found.workspace, found.outside):
        folder.mkdir()
    (found.home / "secret").write_text(SECRET)
    (found.outside / "kept").write_text(SECRET)
    uid = uid_of(user)
    for path in (found.base, *found.base.rglob("*")):
        os.chown(path, uid, uid if uid != os.geteuid() else os.getegid())
    try:
        yield found
    finally:
        shutil.rmtree(found.base)
