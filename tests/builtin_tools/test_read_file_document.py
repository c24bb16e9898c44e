import asyncio
import contextlib
import io
import json
import sys
import zipfile
import zlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from inline_snapshot import snapshot
from openpyxl import Workbook
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from roo_code.builtin_tools import read_file_document
from roo_code.workspace.short_process import short_process
from roo_code.workspace.worker import worker
from tests.builtin_tools.calls import Caller, eventually, is_alive


def write(caller: Caller, name: str, data: bytes) -> None:
    (caller.folder / name).write_bytes(data)


async def read(caller: Caller, name: str, **input: Any) -> str:
    result = await caller.call("read_file", path=name, **input)
    assert not result.is_error, result.content
    return result.content


async def refused(caller: Caller, name: str) -> str:
    result = await caller.call("read_file", path=name)
    assert result.is_error, result.content
    return result.content


def pdf(*pages: str, password: str | None = None) -> bytes:
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(200, 200)
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.splitlines())
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 180 Td {lines}ET".encode())
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = stream
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


async def test_a_pdf_is_read_page_by_page(caller: Caller) -> None:
    write(caller, "a.pdf", pdf("Shelves\nand books", "", "The end"))
    assert await read(caller, "a.pdf") == snapshot(
        """\
File: a.pdf
1 | --- Page 1 of 3 ---
2 | Shelves
3 | and books
4 | --- Page 2 of 3 ---
5 | [no text on this page]
6 | --- Page 3 of 3 ---
7 | The end\
"""
    )


async def test_a_long_document_is_read_in_parts_and_only_so_far(caller: Caller) -> None:
    write(caller, "a.pdf", pdf(*(f"Page {n}" for n in range(600))))
    assert await read(caller, "a.pdf", offset=3, limit=2) == snapshot(
        """\
File: a.pdf
Note: showing lines 3-4 of more. To read on, call read_file with offset=5 and limit=2.
3 | --- Page 2 of 600 ---
4 | Page 1\
"""
    )
    assert "1200 | Page 599" in await read(caller, "a.pdf", offset=1200)
    assert "the file has 1200 lines" in await read(caller, "a.pdf", offset=2000)


async def test_an_encrypted_pdf_is_read_if_it_needs_no_password(caller: Caller) -> None:
    write(caller, "open.pdf", pdf("Open", password=""))
    write(caller, "locked.pdf", pdf("Locked", password="x"))
    assert "| Open" in await read(caller, "open.pdf")
    assert "it is encrypted, and needs a password" in await refused(caller, "locked.pdf")


async def test_a_word_document_is_read_with_headings_and_tables(caller: Caller) -> None:
    document = Document()
    document.add_heading("Shelves", level=2)
    document.add_paragraph("Words of\nbooks: é")
    table = document.add_table(rows=2, cols=2)
    for index, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {index}"
    document.add_paragraph("After")
    document.save(str(caller.folder / "a.docx"))
    assert await read(caller, "a.docx") == snapshot(
        """\
File: a.docx
1 | ## Shelves
2 | Words of
3 | books: é
4 | cell 0 | cell 1
5 | cell 2 | cell 3
6 | After\
"""
    )


async def test_a_workbook_is_read_sheet_by_sheet(caller: Caller) -> None:
    book = Workbook()
    first = book.active
    assert first is not None
    first.title = "Books"
    for row in (["title", "pages"], ["A\tB\nC", 12.5], [None, None], [None, True]):
        first.append(row)
    book.create_sheet("Hidden").sheet_state = "hidden"
    book.create_sheet("Empty")
    book.save(caller.folder / "a.xlsx")
    assert await read(caller, "a.xlsx") == snapshot(
        """\
File: a.xlsx
1 | --- Sheet: Books ---
2 | title	pages
3 | A B C	12.5
4 | 	True
5 | --- Sheet: Empty ---\
"""
    )


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "x = 1\nprint(x)", "outputs": [{"text": "1"}]},
    ],
    "nbformat": 4,
}


async def test_a_notebook_is_read_as_its_cells(caller: Caller) -> None:
    write(caller, "a.ipynb", json.dumps(NOTEBOOK).encode())
    assert await read(caller, "a.ipynb") == snapshot(
        """\
File: a.ipynb
Note: a notebook, shown as its cells. Editing tools work on its JSON text.
1 | --- Cell 1 of 2: markdown ---
2 | # Title
3 | text
4 | --- Cell 2 of 2: code, 1 outputs not shown ---
5 | x = 1
6 | print(x)\
"""
    )


@pytest.mark.parametrize("data", [b'{"cells": 1}', b'{"cells": [1]}', b"{", b'{"a": 1}'])
async def test_what_is_no_notebook_is_shown_as_it_is(caller: Caller, data: bytes) -> None:
    write(caller, "a.ipynb", data)
    assert f"1 | {data[:9].decode()}" in await read(caller, "a.ipynb")


async def test_damaged_documents_are_told(caller: Caller) -> None:
    whole = pdf("Some text")
    write(caller, "a.pdf", b"%PDF-1.7\n")
    write(caller, "b.pdf", whole[: len(whole) // 2].replace(b"endobj", b""))
    write(caller, "a.docx", b"PK\x03\x04\0\0")
    write(caller, "a.xlsx", packed({"xl/workbook.xml": b"<broken"}))
    for name in ("a.pdf", "b.pdf", "a.docx", "a.xlsx"):
        assert "the document cannot be read: it may be damaged" in await refused(caller, name)


def packed(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return target.getvalue()


async def test_an_archive_that_unpacks_to_too_much_is_refused(caller: Caller) -> None:
    bomb = packed({"word/document.xml": bytes(600 << 20)})
    for name in ("a.docx", "a.xlsx"):
        write(caller, name, bomb)
        assert "more than is safe" in await refused(caller, name)


async def test_an_archive_that_lies_about_its_size_is_refused(caller: Caller) -> None:
    size = 5_555_555
    lying = packed({"word/document.xml": bytes(size)})
    lying = lying.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    write(caller, "a.docx", lying)
    assert "cannot be read: it may be damaged" in await refused(caller, "a.docx")


async def test_a_page_that_unpacks_to_too_much_is_left_out(caller: Caller) -> None:
    plain = pdf("bomb", "after")
    packer = zlib.compressobj(1)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush()
    start, end = plain.index(b"BT /F1"), plain.index(b"\nendstream")
    length = b"/Length %d" % (end - start)
    assert length in plain
    data = plain[:start] + bomb + plain[end:]
    write(caller, "a.pdf", data.replace(length, b"/Filter /FlateDecode /Length %d" % len(bomb), 1))
    text = await read(caller, "a.pdf")
    assert "[this page cannot be read: LimitReachedError]" in text
    assert text.endswith("| after")


ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">%s]>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p>
<w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>""" % b"".join(
    b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)
)


async def test_entities_that_multiply_are_not_expanded(caller: Caller) -> None:
    document = io.BytesIO()
    Document().save(document)
    with zipfile.ZipFile(document) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    write(caller, "a.docx", packed({**parts, "word/document.xml": ENTITIES}))
    result = await caller.call("read_file", path="a.docx")
    assert len(result.content) < 1000


async def test_a_sheet_that_claims_to_be_endless_is_read(caller: Caller) -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(["here"])
    target = io.BytesIO()
    book.save(target)
    with zipfile.ZipFile(target) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].replace(b'ref="A1:A1"', b'ref="A1:XFD1048576"')
    assert b"XFD1048576" in sheet
    write(caller, "a.xlsx", packed({**parts, "xl/worksheets/sheet1.xml": sheet}))
    assert (await read(caller, "a.xlsx")).endswith("2 | here")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test may put a module that a worker imports before all others."""
    folder = tmp_path / "library"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return folder


async def test_a_missing_library_says_how_to_get_it(caller: Caller, library: Path) -> None:
    missing = "raise ModuleNotFoundError('no', name='pypdf')"
    (library / "pypdf.py").write_text(missing, encoding="ascii")
    write(caller, "a.pdf", pdf("x"))
    text = await refused(caller, "a.pdf")
    assert "pypdf is not installed; `pip install 'roo-code[documents]'` brings it" in text


@pytest.mark.parametrize("hog", ["bytearray(2 << 30)", "__import__('os').kill(0, 9)"])
async def test_a_worker_that_uses_too_much_is_told(caller: Caller, library: Path, hog: str) -> None:
    (library / "pypdf.py").write_text(hog, encoding="ascii")
    write(caller, "a.pdf", pdf("x"))
    assert "more time or memory than is allowed" in await refused(caller, "a.pdf")


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Workers that never answer; the ids of those that were started."""
    pids: list[int] = []

    @contextlib.asynccontextmanager
    async def hang(*arguments: str, **more: Any) -> AsyncGenerator[asyncio.subprocess.Process]:
        async with short_process(["sleep", "1000"]) as process:
            pids.append(process.pid)
            yield process

    monkeypatch.setattr(read_file_document, "worker", hang)
    return pids


async def test_a_document_that_takes_too_long_is_given_up(
    caller: Caller, hanging: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_file_document, "PATIENCE", 0.05)
    write(caller, "a.pdf", pdf("x"))
    assert "it takes more than" in await refused(caller, "a.pdf")
    assert not is_alive(hanging[0])


async def test_a_cancelled_call_leaves_no_process(caller: Caller, hanging: list[int]) -> None:
    write(caller, "a.pdf", pdf("x"))
    call = asyncio.create_task(caller.call("read_file", path="a.pdf"))
    await eventually(lambda: hanging)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not is_alive(hanging[0])


async def test_a_worker_has_no_keys_of_the_user(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "teller.py").write_text("import os\nprint(dict(os.environ))", encoding="ascii")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    async with worker("teller") as process:
        output, _ = await process.communicate()
    assert b"PYTHONSAFEPATH" in output
    assert b"secret" not in output
