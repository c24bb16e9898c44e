"""The text of documents, line by line. Runs in a worker: documents may be made to do harm."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from typing import Any, BinaryIO, cast

from roo_code.builtin_tools.page_text import page_lines
from roo_code.json_text import from_json

MOST_ROWS = 50_000
LARGEST_UNPACKED = 512 << 20
_PAGE_FAULTS = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)


class NotReadable(Exception):
    """Said to the model as it is."""


class NotANotebook(Exception):
    """Only named like one."""


def pdf_lines(file: BinaryIO) -> Iterator[str]:
    from pypdf import PdfReader  # noqa: PLC0415 - an optional library
    from pypdf.errors import PyPdfError  # noqa: PLC0415 - an optional library

    reader = PdfReader(file)
    if reader.is_encrypted and not reader.decrypt(""):
        raise NotReadable("it is encrypted, and needs a password")
    count = len(reader.pages)
    for number, page in enumerate(reader.pages, 1):
        yield f"--- Page {number} of {count} ---"
        try:
            text = page.extract_text()
        except (PyPdfError, *_PAGE_FAULTS) as error:
            text = f"[this page cannot be read: {type(error).__name__}]"
        yield from text.splitlines() or ["[no text on this page]"]


def docx_lines(file: BinaryIO) -> Iterator[str]:
    from docx import Document  # noqa: PLC0415 - an optional library
    from docx.table import Table  # noqa: PLC0415 - an optional library

    _refuse_bomb(file)
    for block in Document(file).iter_inner_content():
        if isinstance(block, Table):
            for row in block.rows:
                yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
            continue
        style = block.style.name if block.style is not None else None
        kind, _, level = (style or "").rpartition(" ")
        heading = "#" * int(level) + " " if kind == "Heading" and level.isdecimal() else ""
        yield from (heading + line for line in block.text.splitlines() or [""])


def xlsx_lines(file: BinaryIO) -> Iterator[str]:
    from openpyxl import load_workbook  # noqa: PLC0415 - an optional library

    _refuse_bomb(file)
    book = load_workbook(file, read_only=True, data_only=True)
    left = MOST_ROWS
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        yield f"--- Sheet: {sheet.title} ---"
        cast("Any", sheet).reset_dimensions()  # the file may claim millions of columns
        for row in sheet.iter_rows(values_only=True):
            if left == 0:
                yield f"[cut after {MOST_ROWS:,} rows]"
                return
            left -= 1
            if line := "\t".join(map(_cell, row)).rstrip("\t"):
                yield line


def notebook_lines(file: BinaryIO) -> Iterator[str]:
    try:
        notebook = from_json(file.read())
        cells = cast("list[dict[str, Any]]", notebook["cells"])
        parts = [_notebook_cell(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotANotebook from error
    for number, (kind, outputs, text) in enumerate(parts, 1):
        without = f", {outputs} outputs not shown" if outputs else ""
        yield f"--- Cell {number} of {len(parts)}: {kind}{without} ---"
        yield from text.splitlines()


EXTRACTORS: dict[str, Callable[[BinaryIO], Iterator[str]]] = {
    "pdf": pdf_lines,
    "docx": docx_lines,
    "xlsx": xlsx_lines,
    "ipynb": notebook_lines,
    "html": page_lines,
}


def _notebook_cell(cell: dict[str, Any]) -> tuple[str, int, str]:
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return str(cell["cell_type"]), len(cell.get("outputs") or ()), text


def _refuse_bomb(file: BinaryIO) -> None:
    with zipfile.ZipFile(file) as archive:
        size = sum(item.file_size for item in archive.infolist())
    if size > LARGEST_UNPACKED:
        raise NotReadable(f"it unpacks to {size:,} bytes, more than is safe")
    file.seek(0)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return " ".join(str(value).split())
