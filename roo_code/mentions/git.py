"""What git tells of a workspace: what has changed since the last commit, and single commits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable, Generator
from typing import NamedTuple

from roo_code.errors import ToolError
from roo_code.sandbox.search_path import search_path
from roo_code.workspace.short_process import short_process
from roo_code.workspace.workspace import Workspace

MOST_LINES = 500
PATIENCE = 15.0
_HEAD = MOST_LINES // 5
_LONGEST_LINE = 2000
_MOST_BYTES = 4 << 20
_MOST_HIDDEN = 500
_KEPT = ("PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME")
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # older versions fetch what is missing all the same
}
# What a repository's own settings would run besides git itself.
_RUNS_NOTHING = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false")
_PLAIN = ("core.quotePath=false", "color.ui=false")
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-renames", "--relative", "--ignore-submodules=all")
_STATUS = ("status", "--short", "--ignore-submodules=all")
_COMMIT = "--format=Commit: %H%nShort hash: %h%nAuthor: %an%nDate: %ad%n%n%B"


class _Answer(NamedTuple):
    status: int
    text: str
    errors: str = ""


class Git:
    """One workspace's repository, or that part of it which lies in the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._unfiltered: list[str] = []
        """Settings that turn off the programs which the repository has read and write its files."""

    async def changes(self) -> str:
        """What is not committed, files that git does not know by name only."""
        base, shown = await self._changed()
        status = await self._run(*_STATUS, *shown)
        if not status.strip():
            return "There are no changes since the last commit."
        diff = await self._run("diff", *_DIFF, base, *shown)
        return shortened(f"{status}\n{diff}".rstrip())

    async def status(self, limit: int) -> str:
        """The branch, and files that have changed, by name only."""
        _, shown = await self._changed()
        branch, *files = (await self._run(*_STATUS, "--branch", *shown)).splitlines()
        more = [f"(and {len(files) - limit:,} more)"] if len(files) > limit else []
        return "\n".join([f"Git status: {branch}", *files[:limit], *more])

    async def commit(self, hash: str) -> str:
        await self._check()
        if not await self._has(f"{hash}^{{commit}}"):
            raise ToolError(f"There is no commit {hash} in the repository of the workspace.")
        show = ("show", *_DIFF, "--diff-merges=first-parent")
        names = await self._names(*show, "--format=", "--name-only", "-z", hash, "--", ".")
        shown = self._shown(names)
        return shortened((await self._run(*show, _COMMIT, "--stat", "-p", hash, *shown)).strip())

    async def _changed(self) -> tuple[str, list[str]]:
        """What to compare with, and the pathspec of what may be shown."""
        await self._check()
        base = "HEAD" if await self._has("HEAD") else "--cached"
        names = await self._names("diff", *_DIFF, "--name-only", "-z", base, "--", ".")
        listed = ("ls-files", "--others", "--exclude-standard", "--directory", "-z")
        return base, self._shown([*names, *await self._names(*listed)])

    async def _check(self) -> None:
        answer = await self._ask("rev-parse", "--is-inside-work-tree")
        if answer.status:
            reason = (answer.errors.strip().splitlines() or ["git does not work here"])[0]
            raise ToolError(f"The workspace has no git repository: {reason[:300]}")
        await self._find_filters()

    async def _find_filters(self) -> None:
        """They have names of their own, so each must be turned off by its name."""
        found = await self._ask("config", "--name-only", "-z", "--get-regexp", r"^filter\.")
        names = {key.rpartition(".")[0] for key in found.text.split("\0") if key}
        if any(odd in name for name in names for odd in "=\n\ufffd"):
            raise ToolError("The repository has filters whose names cannot be told to git.")
        off = ("clean=", "smudge=", "process=", "required=false")
        self._unfiltered = [f"{name}.{setting}" for name in sorted(names) for setting in off]

    async def _has(self, name: str) -> bool:
        answer = await self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return answer.status == 0

    async def _names(self, *arguments: str) -> list[str]:
        if not self._workspace.rooignore.exists():
            return []  # nobody asks for them
        return [name for name in (await self._run(*arguments)).split("\0") if name]

    def _shown(self, changed: list[str]) -> list[str]:
        """The pathspec that leaves out what the user keeps from the agent."""
        hides: Callable[..., bool] = self._workspace.rooignore.hides
        hidden = [n for n in changed if hides(n.rstrip("/"), folder=n.endswith("/"))]
        if len(hidden) > _MOST_HIDDEN:
            raise ToolError("More files have changed that .rooignore hides than can be left out.")
        return ["--", ".", *(f":(exclude,literal){name}" for name in hidden)]

    async def _run(self, *arguments: str) -> str:
        answer = await self._ask(*arguments)
        if answer.status:
            raise ToolError(f"git {arguments[0]} failed: {answer.errors.strip()[:300]}")
        return answer.text

    async def _ask(self, *arguments: str) -> _Answer:
        program = shutil.which("git", path=search_path(self._workspace.root))
        if program is None:
            raise ToolError("git is not installed.")
        values = (*_RUNS_NOTHING, *_PLAIN, *self._unfiltered)
        settings = [part for value in values for part in ("-c", value)]
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= {**_QUIET, "LC_ALL": "C.UTF-8"}
        try:
            async with asyncio.timeout(PATIENCE):
                with _folder(self._workspace) as folder:
                    argv = (program, "--no-pager", *settings, *arguments)
                    return await _answer(argv, folder, environment)
        except TimeoutError as error:
            raise ToolError(f"git {arguments[0]} took more than {PATIENCE:.0f} s.") from error


async def _answer(argv: tuple[str, ...], folder: int, environment: dict[str, str]) -> _Answer:
    async with short_process(argv, folder=folder, environment=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        data = bytearray()
        while chunk := await process.stdout.read(1 << 16):
            data += chunk
            if len(data) > _MOST_BYTES:
                return _Answer(0, data.decode("utf-8", "replace"))
        errors = await process.stderr.read(4096)
        status = await process.wait()
        return _Answer(status, data.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))


@contextlib.contextmanager
def _folder(workspace: Workspace) -> Generator[int]:
    descriptor = os.open(workspace.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def shortened(text: str) -> str:
    """At most 500 lines: the first fifth, and the end, where most of a diff is."""
    lines = [
        line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 3] + "..."
        for line in text.splitlines()
    ]
    if len(lines) > MOST_LINES:
        left_out = len(lines) - MOST_LINES
        lines[_HEAD : _HEAD + left_out] = [f"[... {left_out:,} lines left out ...]"]
    return "\n".join(lines)
