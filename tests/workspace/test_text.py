import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.workspace.text import (
    HEAD_BYTES,
    TextFormat,
    decode_text,
    fallback_encoding,
    guess_encoding,
    main_newline,
    with_newlines,
)


@given(st.binary())
def test_the_format_gives_the_same_bytes_again(data: bytes) -> None:
    if decoded := decode_text(data):
        text, format = decoded
        assert format.encode(text) == data


@given(st.text(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"]))
def test_marked_text_is_read_in_its_encoding(text: str, encoding: str) -> None:
    mark = "\ufeff".encode(encoding)
    decoded = decode_text(mark + text.encode(encoding))
    assert decoded is not None
    # UTF-16 text that starts with NUL cannot be told from UTF-32.
    assert decoded[0] == text or (encoding == "utf-16-le" and text.startswith("\0"))


@pytest.mark.parametrize(
    ("data", "text", "format"),
    [
        (b"", "", TextFormat()),
        ("hé\n".encode(), "hé\n", TextFormat()),
        (codecs.BOM_UTF8 + b"a\r\n", "a\r\n", TextFormat("utf-8", codecs.BOM_UTF8, "\r\n")),
        ("hé\n".encode("latin-1"), "hé\n", TextFormat("latin-1")),
        ("plain text\n".encode("utf-16-le"), "plain text\n", TextFormat("utf-16-le")),
        ("plain text\n".encode("utf-16-be"), "plain text\n", TextFormat("utf-16-be")),
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n", TextFormat()),
    ],
)
def test_text_is_recognised(data: bytes, text: str, format: TextFormat) -> None:
    assert decode_text(data) == (text, format)


@pytest.mark.parametrize(
    "head",
    [
        b"\x7fELF\x02\x01\x01\0\0\0\0\0",
        b"PK\x03\x04\x14\0\x06\0",
        b"%PDF-1.7\n%plain so far\n",
        bytes(range(256)),
        b"\x01\x02\x03\x04 text",
        b"\0" * 100,
    ],
)
def test_binary_is_recognised(head: bytes) -> None:
    assert guess_encoding(head) is None


def test_a_character_cut_at_the_end_of_the_head_is_still_text() -> None:
    data = b"a" * (HEAD_BYTES - 1) + "é".encode()
    assert decode_text(data) == (data.decode(), TextFormat())


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a\nb\r\nc\r\n", "\r\n"), ("a\rb\r", "\r"), ("a\r\nb\n", "\n")],
)
def test_the_line_ending_of_most_lines_is_the_main_one(text: str, newline: str) -> None:
    assert main_newline(text) == newline


def test_line_endings_are_made_alike() -> None:
    assert with_newlines("a\nb\r\nc\rd", "\r\n") == "a\r\nb\r\nc\r\nd"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# caf\u00e9 cr\u00e8me, d\u00e9j\u00e0 vu\n", "latin-1"),
        ("Gr\u00f6\u00dfe \u00fcber \u00c4rger\n", "latin-1"),
        ("x = 1  # \u4f60\u597d\uff0c\u4e16\u754c\u3002\n", "gbk"),
        ("\u7b2c\u4e00\u884c\r\n\u7b2c\u4e8c\u884c\r\n", "gbk"),
        ("a" * (3 * HEAD_BYTES) + "\n\u4e2d\u6587\u5b57\u7b26\n" * 3, "gbk"),
        ("a" * (3 * HEAD_BYTES) + "\n\u00e9t\u00e9\n", "latin-1"),
        ("plain", "latin-1"),
    ],
)
def test_text_that_is_not_utf_8_is_gbk_if_it_looks_so(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert fallback_encoding(io.BytesIO(data)) == encoding
    decoded = decode_text(data)
    assert decoded is not None
    assert decoded[0] == text


def test_what_looks_like_gbk_but_is_not_is_latin_1() -> None:
    data = "\u4f60\u597d\u4e16\u754c".encode("gbk") * 9 + b"\xff\n"
    decoded = decode_text(data)
    assert decoded is not None
    assert decoded[1] == TextFormat("latin-1")
    assert decoded[1].encode(decoded[0]) == data
