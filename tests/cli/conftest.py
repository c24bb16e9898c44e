"""The `roo` command as a process, with a home, a workspace and a model of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import Replies, ScriptedCall, ScriptedReply
from roo_code.testing.model_server import ModelServer
from tests.cli.terminal import Terminal

KEY = "sk-test-1234567890"


@dataclass
class Roo:
    """`run` it to its end, `start` it, or sit before it at a `terminal`."""

    home: Path
    workspace: Path
    environment: dict[str, str]
    exits: ExitStack = field(repr=False)
    model: tuple[str, ...] = ()
    """The arguments that name the served model."""

    @property
    def program(self) -> list[str]:
        return [sys.executable, "-m", "roo_code"]

    def serve(self, *replies: ScriptedReply | str, key: str = KEY) -> ModelServer:
        """Have the model say this, over HTTP."""
        server = self.exits.enter_context(serving(replies, key))
        self.model = ("--provider", "anthropic", "--base-url", server.url)
        return server

    def command(self, *arguments: str) -> list[str]:
        return [*self.program, *self.model, "--workspace", str(self.workspace), *arguments]

    def run(
        self, *arguments: str, input: bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Without a terminal, to the end."""
        done = subprocess.run(
            self.command(*arguments),
            stdin=subprocess.DEVNULL if input is None else None,
            input=input,
            capture_output=True,
            env=self.environment | environment,
            start_new_session=True,
            timeout=50,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Without a terminal; ended with the test if it has not by then."""
        process = subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            start_new_session=True,
        )
        self.exits.callback(_end, process)
        return process

    def terminal(self, *arguments: str, **environment: str) -> Terminal:
        terminal = Terminal(self.command(*arguments), self.environment | environment)
        return self.exits.enter_context(terminal)

    def store_files(self) -> list[Path]:
        return [path for path in self.home.rglob("*") if path.is_file()]


@pytest.fixture
def roo(tmp_path: Path) -> Iterator[Roo]:
    workspace = tmp_path / "project"
    workspace.mkdir()
    (workspace / "calc.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    home = tmp_path / "home"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ROO_HOME": str(home),
        "TMPDIR": str(tmp_path),
        "ANTHROPIC_API_KEY": KEY,
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    with ExitStack() as exits:
        yield Roo(home, workspace, environment, exits)


@contextmanager
def serving(replies: Replies, key: str = KEY) -> Generator[ModelServer]:
    """A model server on a loop of its own: the tests themselves wait for processes."""
    server = ModelServer(replies, key=key)
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        async with server:
            started.set_result((asyncio.get_running_loop(), stop))
            await stop.wait()
        await asyncio.sleep(0)  # connections are closed one turn of the loop later

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    loop, stop = started.result(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def calls(text: str = "", **inputs: dict[str, JsonValue]) -> ScriptedReply:
    """A reply that calls each tool named, once."""
    made = [
        ScriptedCall(id=f"toolu_{place}_{name}", name=name, input=input)
        for place, (name, input) in enumerate(inputs.items())
    ]
    return ScriptedReply(text=text, tool_calls=tuple(made))


def completion(result: str) -> ScriptedReply:
    return calls(attempt_completion={"result": result})


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
    process.communicate()
