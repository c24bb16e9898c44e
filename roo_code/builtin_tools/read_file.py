"""read_file: text with line numbers, a document as text, or a picture."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple

from roo_code.builtin_tools.images import ImageAllowance, media_type
from roo_code.builtin_tools.read_file_document import document_kind, read_document
from roo_code.builtin_tools.read_file_input import (
    DEFAULT_LIMIT,
    FileRanges,
    Indentation,
    ReadFileInput,
)
from roo_code.builtin_tools.read_file_text import Selection, joined, show_text, show_windows
from roo_code.errors import NotAllowed, ToolError
from roo_code.messages import ImageContent
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.file_changes import Version, version_of
from roo_code.workspace.files import LARGEST_FILE
from roo_code.workspace.opening import open_file, told_plainly
from roo_code.workspace.text import HEAD_BYTES, guess_encoding
from roo_code.workspace.workspace import Workspace

_CHUNK = 1 << 18


class ReadFile(Tool[ReadFileInput]):
    name = "read_file"
    description = (
        "Read a text file, the text of a PDF, DOCX, XLSX or Jupyter notebook, or look at an image "
        "(PNG, JPEG, GIF, WebP). Each line comes with its number, as in `12 | text`; the number is "
        "not part of the file. At most `limit` lines are returned from `offset` on; a note says if "
        "there are more and how to read them. With mode=indentation you get the whole function or "
        "class around indentation.anchor_line. To read several files, make several calls in one "
        "reply."
    )
    group = "read"
    input_type = ReadFileInput
    repeatable = True

    def paths(self, arguments: ReadFileInput) -> tuple[str, ...]:
        return tuple(file.path for file in arguments.files) or (arguments.path,)

    async def execute(self, arguments: ReadFileInput, context: ToolContext) -> ToolOutcome:
        reader = _Reader(context.workspace, ImageAllowance.from_settings(context.settings))
        if arguments.files:
            return await reader.read_all(arguments.files)
        content = await reader.read(arguments.path, _selection(arguments))
        return ToolOutcome(content, tuple(reader.images), seen_files=reader.seen)


def _selection(arguments: ReadFileInput) -> Selection:
    limit = arguments.limit
    if arguments.mode == "indentation" or (
        arguments.indentation is not None and "mode" not in arguments.model_fields_set
    ):
        block = arguments.indentation or Indentation(anchor_line=arguments.offset)
        most = min(limit, block.max_lines or limit)
        first = max(1, block.anchor_line - most)
        return Selection(((first, block.anchor_line + most),), block, most)
    return Selection(((arguments.offset, arguments.offset + limit - 1),), limit=limit)


class _Document(NamedTuple):
    path: Path
    kind: str


class _Reader:
    """Reads the files of one call."""

    def __init__(self, workspace: Workspace, allowance: ImageAllowance) -> None:
        self.images: list[ImageContent] = []
        self.seen: dict[str, str] = {}
        self._workspace = workspace
        self._allowance = allowance

    async def read_all(self, files: Iterable[FileRanges]) -> ToolOutcome:
        parts: list[str] = []
        failures = 0
        for file in files:
            ranges = joined(file.line_ranges) or ((1, DEFAULT_LIMIT),)
            try:
                parts.append(await self.read(file.path, Selection(ranges)))
            except ToolError as error:
                parts.append(str(error))
                failures += 1
        return ToolOutcome(
            "\n\n---\n\n".join(parts),
            tuple(self.images),
            is_error=failures == len(parts),
            seen_files=self.seen,
        )

    async def read(self, shown: str, selection: Selection) -> str:
        try:
            with told_plainly(shown):
                found = await asyncio.to_thread(self._read, shown, selection)
                if isinstance(found, _Document):
                    with os.fdopen(self._open(found.path), "rb") as file:
                        found = await self._show_document(found, file, selection)
                return f"File: {shown}\n{found}"
        except ToolError as error:
            kind = NotAllowed if isinstance(error, NotAllowed) else ToolError
            raise kind(f"File: {shown}\nError: {error}") from error

    def _open(self, path: Path) -> int:
        try:
            return open_file(self._workspace.home_of(path), path)
        except IsADirectoryError as error:
            raise ToolError("this is a folder; use list_files to see what is in it.") from error

    def _read(self, shown: str, selection: Selection) -> str | _Document:
        """What is shown, unless it is a document. Blocks; runs in a thread."""
        path = self._workspace.resolve_readable(shown)
        with os.fdopen(self._open(path), "rb") as file:
            head = file.read(HEAD_BYTES)
            if (kind := document_kind(path.name, head)) is not None:
                return _Document(path, kind)
            if (picture := media_type(head)) is not None:
                return self._show_image(picture, file)
            return self._show_text(file, head, path, selection)

    async def _show_document(
        self, document: _Document, file: BinaryIO, selection: Selection
    ) -> str:
        windows = selection._replace(block=None).windows()
        before = version_of(os.fstat(file.fileno()))
        extract = await read_document(document.kind, file, windows)
        if extract is None:  # JSON that only bears the name of a notebook
            head = b"{"
            return await asyncio.to_thread(self._show_text, file, head, document.path, selection)
        notes: list[str] = []
        if document.kind == "ipynb":
            notes.append(_NOTEBOOK)
            await asyncio.to_thread(self._remember, file, document.path, before)
        if extract.problem:
            notes.append(f"Note: only its beginning can be read: {extract.problem}.")
        if extract.lines == 0:
            return "\n".join([*notes, "Note: there is no text in it."])
        ended = extract.whole or bool(extract.problem)
        return "\n".join(
            [*notes, *show_windows(windows, extract.lines, selection.limit, whole=ended)]
        )

    def _show_text(self, file: BinaryIO, head: bytes, path: Path, selection: Selection) -> str:
        guess = guess_encoding(head)
        if guess is None:
            return _binary_note(path.name, os.fstat(file.fileno()).st_size)
        before = version_of(os.fstat(file.fileno()))
        text = show_text(file, guess[0], len(guess[1]), selection)
        self._remember(file, path, before)
        return text

    def _show_image(self, kind: str, file: BinaryIO) -> str:
        size = os.fstat(file.fileno()).st_size
        if refusal := self._allowance.refusal(size):
            return f"Note: an image of {size / 1024:.1f} KB, not shown: {refusal}."
        file.seek(0)
        self.images.append(self._allowance.take(kind, file.read()))
        return f"Note: an image of {size / 1024:.1f} KB, shown below."

    def _remember(self, file: BinaryIO, path: Path, before: Version) -> None:
        """Keep the digest of what the model has seen; not of files that no tool would edit."""
        relative = self._workspace.relative(path)
        if before[-1] > LARGEST_FILE or PurePath(relative).is_absolute():
            return
        file.seek(0)
        found = hashlib.blake2b(digest_size=16)
        while chunk := file.read(_CHUNK):
            found.update(chunk)
        if version_of(os.fstat(file.fileno())) == before:  # else it is not what was shown
            self.seen[relative] = found.hexdigest()


_NOTEBOOK = "Note: a notebook, shown as its cells. Editing tools work on its JSON text."


def _binary_note(name: str, size: int) -> str:
    extension = PurePath(name).suffix or "no extension"
    return f"Note: a binary file ({extension}, {size:,} bytes); its content is not shown."
