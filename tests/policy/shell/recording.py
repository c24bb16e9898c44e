"""A shell that runs nothing: every program is a stand-in that writes down how it was called."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from roo_code.policy.shell.values import Command

STARTERS = ("env", "timeout", "nice", "nohup", "xargs", "stdbuf", "setsid")
_BUILTINS = "echo printf test [ pwd true false kill"


class RecordingShell:
    def __init__(self, folder: Path, programs: Sequence[str]) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        (self.workspace / "in").write_text("in\n", encoding="utf-8")
        self._log = folder / "log"
        self._programs = folder / "bin"
        self._programs.mkdir()
        note = f"printf '%s\\0' \"${{0##*/}}\" \"$@\" '\x01' >> {self._log}"
        for name in (*programs, *_BUILTINS.split()):
            (self._programs / name).write_text(f"#!/bin/sh\n{note}\n", encoding="utf-8")
            (self._programs / name).chmod(0o755)
        for name in (*STARTERS, "bash"):
            if path := shutil.which(name):
                (self._programs / name).symlink_to(path)
        noter = folder / "noter"
        noter.write_text(
            f"#!/bin/sh\nprintf '%s\\0' \"$@\" '\x01' >> {self._log}\n", encoding="utf-8"
        )
        noter.chmod(0o755)
        missing = f'command_not_found_handle() {{ {noter} "$@"; }}'
        self._preamble = f"{missing}\nenable -n {_BUILTINS}\n"

    def run(self, line: str) -> list[list[str]]:
        """Run a line in the empty workspace; how each program was called."""
        self._log.write_bytes(b"")
        for path in self.workspace.iterdir():
            if path.name != "in":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        subprocess.run(
            [shutil.which("bash") or "bash", "--norc", "--noprofile", "-c", self._preamble + line],
            cwd=self.workspace,
            env={"PATH": str(self._programs), "HOME": str(self.workspace), "x": "-v y"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        calls = self._log.read_bytes().decode("utf-8", "replace").split("\x01\0")
        return [call.split("\0")[:-1] for call in calls if call]

    def written(self) -> set[str]:
        return {path.name for path in self.workspace.iterdir()} - {"in"}


def may_be(command: Command, call: Sequence[str]) -> bool:
    """Whether a call is one that the parsed command foresees."""
    pattern = "".join(
        r"(?:[^\0]*\0)*" if word.text is None else re.escape(f"{word.text}\0")
        for word in command.words
    )
    return bool(re.fullmatch(pattern, "".join(f"{word}\0" for word in call), re.DOTALL))
