"""A user with a home, a workspace and something beside it, and commands run by that user."""

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

from roo_code.sandbox.detection import find_sandbox

ROOT = Path(__file__).resolve().parents[2]
ORDINARY = 61234
"""A user id that nobody has."""
SECRET = "nobody-may-see-this"


@dataclass(frozen=True)
class Ran:
    status: int
    output: str
    left: int
    """How many processes were left when it had ended."""
    name: str
    warnings: list[str]


class Driver:
    """A process of the user that runs what it is told."""

    def __init__(self, uid: int, **environment: str) -> None:
        drop = [str(uid)] if uid != os.geteuid() else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.sandbox.driver", *drop],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        )  # fmt: skip

    def ask(self, asked: dict[str, Any]) -> Ran:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Ran(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


@dataclass(frozen=True)
class Box:
    driver: Driver
    uid: int
    base: Path
    backend: str = "auto"

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def workspace(self) -> Path:
        return self.base / "workspace"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    def run(
        self,
        command: str,
        *,
        bare: bool = False,
        terminal: bool = False,
        given: dict[str, str] | None = None,
        **policy: Any,
    ) -> Ran:
        """In the sandbox, unless it is to be seen what it would do bare of one."""
        known = {"OUTSIDE": str(self.outside), "USERS_HOME": str(self.home), **(given or {})}
        places = {"workspace": str(self.workspace), "home": str(self.home)}
        how = {"command": command, "environment": known, "bare": bare, "terminal": terminal}
        return self.driver.ask({**how, **places, "backend": self.backend, **policy})


@contextmanager
def opened(driver: Driver, uid: int, backend: str = "auto") -> Generator[Box]:
    box = Box(driver, uid, Path(tempfile.mkdtemp(prefix="roo-box-")), backend)
    for folder in (box.home, box.workspace, box.outside):
        folder.mkdir()
    (box.home / "secret").write_text(SECRET)
    (box.outside / "kept").write_text(SECRET)
    for path in (box.base, *box.base.rglob("*")):
        os.chown(path, uid, uid if uid != os.geteuid() else os.getegid())
    try:
        yield box
    finally:
        shutil.rmtree(box.base)


@contextmanager
def bystander(box: Box) -> Generator[dict[str, str]]:
    """A process of the same user, with a secret in its environment, that lives on."""
    somebody: dict[str, Any] = {}
    if box.uid != os.geteuid():
        somebody = {"user": box.uid, "group": box.uid, "extra_groups": []}
    process = subprocess.Popen(
        ["/bin/sleep", "1000"], env={"KEY": SECRET}, cwd="/", start_new_session=True, **somebody
    )
    try:
        yield {"VICTIM": str(process.pid)}
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def users() -> list[str]:
    """Both kinds of user if we may be both."""
    return ["root", "ordinary"] if os.geteuid() == 0 else ["ordinary"]


def uid_of(user: str) -> int:
    return 0 if user == "root" else ORDINARY if os.geteuid() == 0 else os.geteuid()


def works_here() -> bool:
    return find_sandbox().open is not None
