"""read_command_output: read or search what a command has printed."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
from typing import BinaryIO, NamedTuple

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.command_report import size
from roo_code.builtin_tools.output_search import search
from roo_code.builtin_tools.task_commands import TaskCommands
from roo_code.builtin_tools.terminal_text import plain_line
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext

_ID = re.compile(r"cmd-\d+\.txt")
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 20


class ReadCommandOutputInput(ToolInput):
    artifact_id: str = Field(
        validation_alias=AliasChoices("artifact_id", "artifactId", "artifact", "id"),
        description="What the command's result gave, such as cmd-123.txt.",
    )
    search: str | None = Field(
        default=None,
        min_length=1,
        validation_alias=AliasChoices("search", "pattern", "regex", "query"),
        description="Show only the lines that match this regular expression, in either case.",
    )
    offset: int = Field(default=0, ge=0, description="The byte to begin at.")
    limit: int = Field(default=40_960, ge=1, description="The most bytes to show.")


class ReadCommandOutput(Tool[ReadCommandOutputInput]):
    name = "read_command_output"
    description = (
        "Read the output of a command in parts, or search it, where the result showed only its "
        "beginning and end, or while the command goes on in the background."
    )
    group = "command"
    input_type = ReadCommandOutputInput
    repeatable = True
    needs_approval = False  # the command was approved, and this only reads what it said

    async def execute(self, arguments: ReadCommandOutputInput, context: ToolContext) -> str:
        name = arguments.artifact_id
        limit = min(arguments.limit, _MOST_BYTES)
        with _open(name, context) as file:
            if arguments.search is not None:
                found = await search(file, arguments.search, limit)
                return f'[Command Output: {name}] (search: "{arguments.search}")\n{found}'
            part = await asyncio.to_thread(_read, file, arguments.offset, limit)
        return f"[Command Output: {name}]\n{part.text()}{_outlook(part, name, context)}"


class Part(NamedTuple):
    """Some of the output, and where it stands in it."""

    data: bytes
    offset: int
    total: int
    first_line: int

    @property
    def end(self) -> int:
        return self.offset + len(self.data)

    def text(self) -> str:
        state = "TRUNCATED" if self.end < self.total else "COMPLETE"
        lines = self.data.decode("utf-8", "replace").removesuffix("\n").split("\n")
        numbered = (
            f"{number:>5} | {plain_line(line)}\n"
            for number, line in enumerate(lines if self.data else (), self.first_line)
        )
        return (
            f"Total size: {size(self.total)} | Showing bytes {self.offset}-{self.end} | {state}\n\n"
            f"{''.join(numbered)}"
        )


def _open(name: str, context: ToolContext) -> BinaryIO:
    if not _ID.fullmatch(name):
        raise ToolError(f"Error: {name!r} is not the name of an output; those look like cmd-1.txt.")
    with contextlib.suppress(OSError):
        if context.artifacts is not None:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.fdopen(os.open(context.artifacts.path(name), flags), "rb")
    raise ToolError(
        f"Error: there is no output {name}. Outputs are kept where a result gives an Artifact ID; "
        "a short output stands whole in the result itself."
    )


def _read(file: BinaryIO, offset: int, limit: int) -> Part:
    total = os.fstat(file.fileno()).st_size
    if offset > total:
        raise ToolError(f"Error: offset {offset} is beyond the end; there are {total} bytes.")
    before, left = 0, offset
    while left and (chunk := file.read(min(left, _CHUNK))):
        before += chunk.count(b"\n")
        left -= len(chunk)
    data = file.read(min(limit, total - offset))
    if offset + len(data) < total:
        data = _whole_characters(data)
    return Part(data, offset, total, before + 1)


def _whole_characters(data: bytes) -> bytes:
    """Without the beginning of a character at its end, which is then the first of the next part."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    cut = len(decoder.getstate()[0])
    return data[:-cut] if 0 < cut < len(data) else data


def _outlook(part: Part, name: str, context: ToolContext) -> str:
    if part.end < part.total:
        return f"\n(Go on with offset {part.end}.)"
    commands = context.resources.find(TaskCommands)
    run = commands.find(name) if commands else None
    if run is not None and run.status is None:
        return (
            f"\n(The command still runs; what it prints from now on begins at offset {part.end}.)"
        )
    return ""
