"""Real processes that write settings at once."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


class Writer:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def send(self, **command: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def wait(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "done\n"

    def kill(self) -> int:
        """How many of its writes were done for sure."""
        self.process.kill()
        assert self.process.stdout is not None
        return self.process.stdout.read().count("done\n")


@contextmanager
def writers(count: int) -> Generator[list[Writer]]:
    command = [sys.executable, "-m", "tests.config.writer_process"]
    with ExitStack() as stack:
        started: list[Writer] = []
        for _ in range(count):
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            started.append(Writer(process))
        yield started
