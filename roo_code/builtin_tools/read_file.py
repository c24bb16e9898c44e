"""read_file: text with line numbers, or a picture."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from roo_code.builtin_tools.images import ImageAllowance, media_type
from roo_code.builtin_tools.indentation import BlockRules, block_around
from roo_code.builtin_tools.line_numbers import LONGEST_LINE, number_lines
from roo_code.builtin_tools.read_file_input import FileRanges, Indentation, ReadFileInput
from roo_code.errors import NotAllowed, ToolError
from roo_code.messages import ImageContent
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.lines import LineWindow, read_lines
from roo_code.workspace.opening import open_file, told_plainly
from roo_code.workspace.text import HEAD_BYTES, guess_encoding
from roo_code.workspace.workspace import Workspace

MOST_CHARACTERS = 100_000
"""As much text as one call returns; the note at the top then says where to go on."""
_BLOCK_CHARACTERS = 8_000_000
"""As much text around an anchor as is searched for the ends of its block."""


class ReadFile(Tool[ReadFileInput]):
    name = "read_file"
    description = (
        "Read a text file, or look at an image (PNG, JPEG, GIF, WebP). Each line comes with its "
        "number, as in `12 | text`; the number is not part of the file. At most `limit` lines "
        "are returned from `offset` on; a note says if there are more and how to read them. With "
        "mode=indentation you get the whole function or class around indentation.anchor_line. "
        "To read several files, make several calls in one reply."
    )
    group = "read"
    input_type = ReadFileInput
    repeatable = True

    def paths(self, arguments: ReadFileInput) -> tuple[str, ...]:
        return tuple(file.path for file in arguments.files) or (arguments.path,)

    async def execute(self, arguments: ReadFileInput, context: ToolContext) -> ToolOutcome:
        allowance = ImageAllowance.from_settings(context.settings)
        reader = _Reader(context.workspace, allowance)
        if arguments.files:
            return await asyncio.to_thread(reader.read_all, arguments.files)
        content = await asyncio.to_thread(reader.read, arguments.path, _selection(arguments))
        return ToolOutcome(content, images=tuple(reader.images))


@dataclass(frozen=True)
class _Selection:
    """Which lines are wanted."""

    ranges: tuple[tuple[int, int], ...]
    block: Indentation | None = None
    limit: int = 2000


def _selection(arguments: ReadFileInput) -> _Selection:
    limit = arguments.limit
    if arguments.mode == "indentation" or (
        arguments.indentation is not None and "mode" not in arguments.model_fields_set
    ):
        block = arguments.indentation or Indentation(anchor_line=arguments.offset)
        most = min(limit, block.max_lines or limit)
        first = max(1, block.anchor_line - most)
        return _Selection(((first, block.anchor_line + most),), block, most)
    return _Selection(((arguments.offset, arguments.offset + limit - 1),), limit=limit)


class _Reader:
    """Reads the files of one call, in a thread."""

    def __init__(self, workspace: Workspace, allowance: ImageAllowance) -> None:
        self.images: list[ImageContent] = []
        self._workspace = workspace
        self._allowance = allowance

    def read_all(self, files: Iterable[FileRanges]) -> ToolOutcome:
        parts: list[str] = []
        failures = 0
        for file in files:
            ranges = _joined(file.line_ranges) or ((1, 2000),)
            try:
                parts.append(self.read(file.path, _Selection(ranges)))
            except ToolError as error:
                parts.append(str(error))
                failures += 1
        return ToolOutcome(
            "\n\n---\n\n".join(parts), tuple(self.images), is_error=failures == len(parts)
        )

    def read(self, shown: str, selection: _Selection) -> str:
        try:
            with told_plainly(shown):
                return f"File: {shown}\n{self._read(shown, selection)}"
        except ToolError as error:
            kind = NotAllowed if isinstance(error, NotAllowed) else ToolError
            raise kind(f"File: {shown}\nError: {error}") from error

    def _read(self, shown: str, selection: _Selection) -> str:
        path = self._workspace.resolve_readable(shown)
        try:
            descriptor = open_file(self._workspace.home_of(path), path)
        except IsADirectoryError as error:
            raise ToolError("this is a folder; use list_files to see what is in it.") from error
        with os.fdopen(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size
            head = file.read(HEAD_BYTES)
            if kind := media_type(head):
                return self._show_image(kind, head, file, size)
            if (guess := guess_encoding(head)) is None:
                return _binary_note(shown, size)
            return _show_lines(file, guess[0], len(guess[1]), selection)

    def _show_image(self, kind: str, head: bytes, file: BinaryIO, size: int) -> str:
        if refusal := self._allowance.refusal(size):
            return f"Note: an image of {size / 1024:.1f} KB, not shown: {refusal}."
        self.images.append(self._allowance.take(kind, head + file.read()))
        return f"Note: an image of {size / 1024:.1f} KB, shown below."


def _binary_note(shown: str, size: int) -> str:
    extension = PurePath(shown).suffix or "no extension"
    note = f"Note: a binary file ({extension}, {size:,} bytes); its content is not shown."
    if extension.lower() in {".pdf", ".docx", ".xlsx"}:
        note += " Text in this format cannot be read by this tool; a command may extract it."
    return note


def _show_lines(file: BinaryIO, encoding: str, start: int, selection: _Selection) -> str:
    windows: list[LineWindow] = []
    total = 0
    most = _BLOCK_CHARACTERS if selection.block else MOST_CHARACTERS // len(selection.ranges)
    for candidate in (encoding, "latin-1"):
        file.seek(start)
        windows = [
            LineWindow(first, last, longest=LONGEST_LINE, budget=most)
            for first, last in selection.ranges
        ]
        try:
            total = read_lines(file, candidate, windows)
            break
        except UnicodeDecodeError:
            continue
    if total == 0:
        return "Note: the file is empty."
    if selection.block is not None:
        return _show_block(windows[0], total, selection.block, selection.limit)
    return "\n".join(_show_windows(windows, total, selection.limit))


def _show_windows(windows: Sequence[LineWindow], total: int, limit: int) -> Iterable[str]:
    end = 0
    for window in windows:
        if window.first > total:
            yield f"Note: line {window.first} is beyond the end; the file has {total} lines."
            continue
        if end and window.first > end + 1:
            yield f"[... lines {end + 1}-{window.first - 1} not shown ...]"
        end = window.first + len(window.lines) - 1
        if end < total and window is windows[-1]:
            yield (
                f"Note: showing lines {window.first}-{end} of {total}. To read on, call "
                f"read_file with offset={end + 1} and limit={limit}."
            )
        yield number_lines(window.lines, window.first, width=len(str(end)))


def _show_block(window: LineWindow, total: int, block: Indentation, limit: int) -> str:
    anchor = block.anchor_line - window.first
    if block.anchor_line > total:
        raise ToolError(f"anchor_line {block.anchor_line} is not one of the lines 1-{total}.")
    if anchor >= len(window.lines):
        raise ToolError("the lines before the anchor are too long; use offset and limit instead.")
    rules = BlockRules(block.max_levels, block.include_siblings, block.include_header, limit)
    top, bottom = block_around(window.lines, anchor, rules)
    first, last = window.first + top, window.first + bottom
    shown = number_lines(window.lines[top : bottom + 1], first, width=len(str(last)))
    note = f"Included ranges: {first}-{last} (total: {total} lines)"
    if bottom - top + 1 >= limit:
        note += f"; cut at {limit} lines, the block may go on"
    return f"{shown}\n{note}"


def _joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, without overlaps."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted((min(pair), max(pair)) for pair in ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
