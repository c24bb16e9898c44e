"""Searching what a command has printed, with rg: in time that no expression can blow up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

from roo_code.builtin_tools.terminal_text import plain_line
from roo_code.errors import ToolError
from roo_code.workspace.ripgrep import ripgrep
from roo_code.workspace.short_process import short_process

_LONGEST_LINE = 2000
_OPTIONS = (
    *("--no-config", "--color=never", "--line-number", "--no-heading", "--no-filename"),
    *("--ignore-case", "--text", "--encoding=none", "--max-columns-preview"),
    f"--max-columns={_LONGEST_LINE}",
)
_NOT_VALID = 2


class _Matches(NamedTuple):
    lines: Sequence[str]
    """With their numbers."""
    is_all: bool


async def search(file: BinaryIO, pattern: str, limit: int) -> str:
    """The lines that match, up to so many bytes; a pattern that is none is taken literally."""
    found = await _matches(file, pattern, limit) or await _matches(file, pattern, limit, "-F")
    if found is None:
        raise ToolError(f"Error: {pattern!r} cannot be searched for.")
    if not found.lines:
        return "\nNo line matches."
    count = len(found.lines)
    total = str(count) if found.is_all else f"more than {count}"
    lines = "\n".join(found.lines)
    return f"Total matches: {total} | Showing first {count}\n\n{lines}\n"


async def _matches(file: BinaryIO, pattern: str, limit: int, *options: str) -> _Matches | None:
    """None if rg does not take the pattern."""
    if "\0" in pattern:
        return None
    file.seek(0)
    argv = [ripgrep(), *_OPTIONS, *options, "-e", pattern, "-"]
    lines: list[str] = []
    async with short_process(argv, stdin=file) as process:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            limit -= len(line)
            if limit < 0 and lines:
                return _Matches(lines, is_all=False)
            number, _, text = line.decode("utf-8", "replace").removesuffix("\n").partition(":")
            lines.append(f"{number:>5} | {plain_line(text)}")
        if await process.wait() >= _NOT_VALID:
            return None
    return _Matches(lines, is_all=True)
