"""What every front end is tried on: a home, a workspace and a model with a script."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from roo_code.commands import SendMessage
from roo_code.events import EventRecord
from roo_code.json_text import JsonValue
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.testing.model_server import ModelServer

KEY = "sk-test-1234567890"


@dataclass
class Stage:
    folder: Path
    model: ModelServer
    level: str
    """What runs unasked."""

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def workspace(self) -> Path:
        return self.folder / "project"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "ROO_HOME": str(self.home),
            "TMPDIR": str(self.folder),
            "ANTHROPIC_API_KEY": KEY,
            "LANG": "C.UTF-8",
        }

    def set_up(self, more: Mapping[str, JsonValue]) -> None:
        self.workspace.mkdir()
        settings = self.home / "settings" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            json.dumps(
                {
                    "apiProvider": "anthropic",
                    "anthropicBaseUrl": self.model.url,
                    "approve": self.level,
                    "sandbox": "off",
                    **more,
                }
            ),
            encoding="utf-8",
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "roo_code", *arguments]

    def let_go(self) -> None:
        """Let commands that wait go on."""
        (self.workspace / "go").touch()

    def has(self, name: str) -> bool:
        """Whether there is such a file, with something in it."""
        path = self.workspace / name
        return path.exists() and path.stat().st_size > 0

    def conversation(self, place: int) -> str:
        """The messages of one request to the model."""
        return json.dumps(self.model.requests[place].body["messages"], ensure_ascii=False)

    def heard(self, words: str) -> bool:
        """Whether the model was told this in the last request."""
        return bool(self.model.requests) and words in self.conversation(-1)

    @asynccontextmanager
    async def store(self) -> AsyncGenerator[SqliteTaskStore]:
        store = SqliteTaskStore(self.home / "state" / "tasks.sqlite3")
        try:
            yield store
        finally:
            await store.aclose()

    async def records(self, task_id: str) -> list[EventRecord]:
        """All that is stored of a task."""
        async with self.store() as store:
            return await store.read(task_id, 0, 10_000)

    async def is_sent(self, task_id: str, text: str) -> bool:
        """Whether the words stand in the task's inbox."""
        async with self.store() as store:
            commands = await store.inbox(task_id)
        return any(isinstance(c, SendMessage) and c.text == text for c in commands)

    def processes(self) -> list[str]:
        """Commands of tasks that still run."""
        wanted, found = mark(self.folder).encode(), list[str]()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended meanwhile
            if wanted in line:
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
        return found


def mark(folder: Path) -> str:
    """Words that the commands of tasks below this folder hold, and no others."""
    return f"of-{folder.name}-{os.getpid()}"
