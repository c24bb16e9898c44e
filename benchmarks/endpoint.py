"""The runner's side of the scripted endpoint."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self
from urllib.request import urlopen

from benchmarks.places import ROOT, clean_environment
from benchmarks.server import Mark

_numbers = itertools.count(1)


@dataclass(frozen=True)
class ModelRun:
    """One conversation with the scripted model."""

    port: int
    name: str
    script: str
    turns: int

    @property
    def url(self) -> str:
        """The base address, as OpenAI-compatible settings want it."""
        return f"http://127.0.0.1:{self.port}/{self.name}/{self.script}/{self.turns}/v1"

    def marks(self) -> list[Mark]:
        with urlopen(f"http://127.0.0.1:{self.port}/{self.name}/marks", timeout=10) as reply:
            return [Mark(**mark) for mark in json.load(reply)]


@dataclass(frozen=True)
class Endpoint:
    port: int

    def new_run(self, script: str, turns: int = 1) -> ModelRun:
        return ModelRun(self.port, f"run{next(_numbers)}", script, turns)

    @classmethod
    @contextmanager
    def started(cls) -> Generator[Self]:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.server"],
            cwd=ROOT,
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield cls(int(process.stdout.readline()))
        finally:
            process.stdin.close()
            process.wait(timeout=10)
            process.stdout.close()
