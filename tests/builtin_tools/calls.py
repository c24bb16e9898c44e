"""Calling tools the way an agent does, and waiting for what is to happen."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roo_code.builtin_tools.registry import create_registry
from roo_code.events import Event, ToolOutput
from roo_code.mcp_access import McpAccess
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.todo_list import TodoItem
from roo_code.tool_resources import TaskResources
from roo_code.tools import ToolContext, ToolRegistry
from roo_code.workspace.workspace import Workspace

PATIENCE = 20.0


@dataclass(frozen=True)
class FolderOfArtifacts:
    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name

    def write(self, name: str, data: bytes) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(data)
        return self.path(name)


@dataclass
class Caller:
    """A workspace with the built-in tools in it."""

    folder: Path
    artifacts: FolderOfArtifacts
    registry: ToolRegistry = field(default_factory=create_registry)
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    failed_calls: Sequence[str] = ()
    events: list[Event] = field(default_factory=list[Event])
    resources: TaskResources = field(default_factory=TaskResources)
    hide: Callable[[str], str] = str
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    todos: tuple[TodoItem, ...] = ()
    mcp: McpAccess | None = None
    seen_files: dict[str, str] = field(default_factory=dict[str, str])
    """What the calls so far have shown or written, as the log keeps it."""

    @property
    def live(self) -> str:
        """What running tools have shown so far."""
        return "".join(event.text for event in self.events if isinstance(event, ToolOutput))

    async def call(self, name: str, /, **input: Any) -> ToolResult:
        context = ToolContext(
            workspace=Workspace(self.folder, readable=(self.artifacts.folder,)),
            emit=self.events.append,
            artifacts=self.artifacts,
            settings=self.settings,
            failed_calls=tuple(self.failed_calls),
            resources=self.resources,
            hide=self.hide,
            secret=lambda name: self.secrets.get(name, ""),
            seen_files=dict(self.seen_files),
            todos=self.todos,
            mcp=self.mcp,
        )
        result = await self.registry.execute(
            ToolUseContent(id="call_1", name=name, input=input), context
        )
        self.seen_files |= result.seen_files
        return result


def identity(file: Path) -> tuple[int, int, bytes]:
    """Tells a file that nobody has touched from one with the same content."""
    status = file.stat()
    return status.st_ino, status.st_mtime_ns, file.read_bytes()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not, though nobody may have collected it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return status[status.rindex(b")") + 2 :].split()[0] not in {b"Z", b"X"}


async def eventually(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


def read_pid(file: Path) -> int:
    """The process id that a command writes to a file, or 0 as long as it has not."""
    text = file.read_text(encoding="ascii") if file.exists() else ""
    return int(text) if text.endswith("\n") else 0
