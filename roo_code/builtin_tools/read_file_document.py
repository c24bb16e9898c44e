"""Documents as text: a worker takes it out, and only as far as it is wanted."""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

from roo_code.builtin_tools.document_worker import (
    MISSING_LIBRARY,
    NOT_A_NOTEBOOK,
    NOT_READABLE,
)
from roo_code.errors import ToolError
from roo_code.workspace.lines import LineReader, LineWindow
from roo_code.workspace.worker import worker

PATIENCE = 60.0
_CHUNK = 1 << 16
_LONGEST_ERROR = 1 << 16
_PACKED = {".docx": "docx", ".docm": "docx", ".xlsx": "xlsx", ".xlsm": "xlsx"}


class Extract(NamedTuple):
    lines: int
    """How many there are, or were read until nobody wanted more."""
    whole: bool
    problem: str = ""
    """Why it is not whole, if that was not intended."""


def document_kind(name: str, head: bytes) -> str | None:
    """What kind of document starts so; None if it is none that can be read."""
    suffix = PurePath(name).suffix.lower()
    if head.startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in head[:1024]):
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _PACKED.get(suffix)
    return "ipynb" if suffix == ".ipynb" and head.lstrip()[:1] == b"{" else None


async def read_document(kind: str, file: BinaryIO, windows: Sequence[LineWindow]) -> Extract | None:
    """Fill the windows with lines of the document; None if it is no notebook after all."""
    reader = LineReader(windows)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    async with worker("roo_code.builtin_tools.document_worker", kind, stdin=file) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            async with asyncio.timeout(PATIENCE):
                while data := await process.stdout.read(_CHUNK):
                    reader.take(decoder.decode(data))
                    if reader.satisfied:
                        return Extract(reader.finish(), whole=False)
                errors = await process.stderr.read(_LONGEST_ERROR)
                status = await process.wait()
        except TimeoutError:
            return _extract(reader, f"it takes more than {PATIENCE:.0f} s")
    if status == NOT_A_NOTEBOOK:
        return None
    return _extract(reader, _problem(status, errors.decode("utf-8", "replace")))


def _extract(reader: LineReader, problem: str) -> Extract:
    lines = reader.finish()
    if problem and not lines:
        raise ToolError(f"the document cannot be read: {problem}.")
    return Extract(lines, whole=not problem, problem=problem)


def _problem(status: int, errors: str) -> str:
    if status == 0:
        return ""
    if status == MISSING_LIBRARY:
        return f"{errors} is not installed; `pip install 'roo-code[documents]'` brings it"
    if status == NOT_READABLE:
        return errors
    if status < 0 or "MemoryError" in errors:
        return "it takes more time or memory than is allowed"
    reason = (errors.strip().splitlines() or ["unknown"])[-1]
    return f"it may be damaged ({reason[:300]})"
