"""What the model is told of its surroundings before it is asked: all of it once, then the news."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from roo_code.context.seen_files import FileNews, SeenFiles
from roo_code.errors import ToolError
from roo_code.events import EnvironmentTold, Event
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.messages import ENVIRONMENT_TAG, TextContent
from roo_code.todo_list import checklist
from roo_code.workspace.workspace import Workspace

_END = "</environment_details>"
_MODE = "Mode: "
_MOST_NAMED = 100
_PATIENCE = 5.0
"""Seconds after which a look around is given up: it must never keep the task waiting."""


async def _no_git(limit: int) -> str:
    return ""


class Surroundings(Struct, frozen=True):
    """How to look around; what layers above know how to do."""

    files: Callable[[int], Sequence[str]] = lambda limit: ()
    """The files of the workspace, as many as allowed. Blocks."""
    git_status: Callable[[int], Awaitable[str]] = _no_git
    commands: Callable[[], Mapping[str, bool]] = dict[str, bool]
    """Commands in the background, each in a line, and whether it still runs."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone()


class Environment:
    """Tells at most once before each request, and nothing where there is no news.

    What was told before is in the history: after a restart, or where condensing has removed it,
    that is looked up there.
    """

    def __init__(
        self,
        workspace: Workspace,
        history: History,
        settings: Mapping[str, JsonValue],
        around: Surroundings | None = None,
    ) -> None:
        self._workspace = workspace
        self._history = history
        self._settings = settings
        self._around = around or Surroundings()
        self._seen = SeenFiles(workspace)
        self._running: frozenset[str] = frozenset()

    async def tell(self) -> AsyncGenerator[Event]:
        """For `Agent.preparations`."""
        if self._history.is_environment_told:
            return
        told = list(self._told())
        news = await self._file_news()
        parts = [
            *self._situation(told),
            *self._background(is_whole=self._is_spoken_to or not told),
            *_files_told(news),
        ]
        if self._is_spoken_to or not told:
            parts += self._todos()
        if not told:
            parts += await self._whole()
        if parts:
            # A file may be called like the end of this.
            text = "\n".join(parts).replace(_END, _END.replace("/", "\\/"))
            yield EnvironmentTold(
                text=f"{ENVIRONMENT_TAG}\n{text}\n{_END}", seen_files=news.digests
            )

    @property
    def _is_spoken_to(self) -> bool:
        return self._history.turns == 0

    def _told(self) -> Iterator[str]:
        """What has been told and is still there, the latest first."""
        for message in reversed(self._history.messages):
            if message.role == "user":
                for block in reversed(message.content):
                    if isinstance(block, TextContent) and block.text.startswith(ENVIRONMENT_TAG):
                        yield block.text

    def _situation(self, told: Sequence[str]) -> Iterator[str]:
        """Time and cost with the user's words only: they would change with every request."""
        if (self._is_spoken_to or not told) and self._is_on("includeCurrentTime"):
            now = self._around.now()
            yield f"Time: {now.isoformat(timespec='seconds')}"
        if self._is_spoken_to and told and self._is_on("includeCurrentCost"):
            cost = sum(m.usage.cost or 0 for m in self._history.messages if m.usage is not None)
            if cost:
                yield f"Cost so far: ${cost:.2f}"
        mode = f"{_MODE}{self._history.mode}"
        last = next((line for text in told for line in text.splitlines() if _is_mode(line)), None)
        if self._history.mode and last != mode:
            yield mode

    def _background(self, *, is_whole: bool) -> Iterator[str]:
        commands = self._around.commands()
        running = frozenset(line for line, runs in commands.items() if runs)
        ended = sorted(self._running - running)
        shown = sorted(running) if is_whole else []
        self._running = running
        yield from _listed("Commands that have ended in the background:", ended)
        yield from _listed("Commands that run in the background:", shown)

    def _todos(self) -> Iterator[str]:
        if any(todo.status != "completed" for todo in self._history.todos):
            yield f"Todo list:\n{checklist(self._history.todos)}"

    async def _file_news(self) -> FileNews:
        if not self._history.seen_files:
            return FileNews([], [], {})
        return await asyncio.to_thread(self._seen.news, dict(self._history.seen_files))

    async def _whole(self) -> list[str]:
        """What only the first telling holds: it is long, and the model can look again itself."""
        parts: list[str] = []
        limit = self._limit("maxWorkspaceFiles")
        if limit:
            parts += await self._looked(self._files(limit))
        limit = self._limit("maxGitStatusFiles")
        if limit:
            parts += await self._looked(self._around.git_status(limit))
        return parts

    async def _files(self, limit: int) -> str:
        names = await asyncio.to_thread(self._around.files, limit)
        return "\n".join(_listed(f"Files in {self._workspace.root}:", names, most=limit))

    async def _looked(self, look: Awaitable[str]) -> list[str]:
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await look
        except (OSError, TimeoutError, ToolError):  # the model can look itself
            return []
        return [found] if found else []

    def _is_on(self, setting: str) -> bool:
        return self._settings.get(setting) is not False

    def _limit(self, setting: str) -> int:
        value = self._settings.get(setting)
        return max(0, int(value)) if isinstance(value, int | float) else 0


def _is_mode(line: str) -> bool:
    return line.startswith(_MODE)


def _files_told(news: FileNews) -> Iterator[str]:
    yield from _listed(
        "Changed since you last saw them, by the user or a command; read them again before you "
        "rely on them:",
        news.changed,
    )
    yield from _listed("Gone since you last saw them:", news.gone)


def _listed(title: str, names: Sequence[str], most: int = _MOST_NAMED) -> Iterator[str]:
    if not names:
        return
    yield title
    for name in names[:most]:
        shown = name.encode("utf-8", "replace").decode()
        yield shown if shown.isprintable() else ascii(shown)
    if len(names) > most:
        yield f"(and {len(names) - most:,} more)"
