"""How a file's text is written: encoding, byte order mark, line endings."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass
from typing import BinaryIO, Literal, TypeAlias

Newline: TypeAlias = Literal["\n", "\r\n", "\r"]

HEAD_BYTES = 8192
"""As much of a file as its kind is judged by."""

_MARKS = (  # the longer first: UTF-32's mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes({*range(32), 127} - {7, 8, 9, 10, 12, 13, 27})
_NEWLINES = re.compile(r"\r\n|\r|\n")
_FOREIGN = re.compile(rb"[\x80-\xff]")
_PAIR = re.compile(rb"[\x80-\xff].", re.DOTALL)
# The characters that nine tenths of Chinese text consist of, and its punctuation.
_COMMON_CHINESE = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")


@dataclass(frozen=True)
class TextFormat:
    encoding: str = "utf-8"
    mark: bytes = b""
    newline: Newline = "\n"

    def encode(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding)


def guess_encoding(head: bytes) -> tuple[str, bytes] | None:
    """The encoding and byte order mark of text that starts so; None if it is no text.

    UTF-8 is a guess that only the whole file can confirm; if it is not, see `fallback_encoding`.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, mark
    if encoding := _wide_encoding(head):
        return encoding, b""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if b"\0" in head or controls * 10 > len(head) or head.startswith(b"%PDF-"):
        return None
    return "utf-8", b""


def _wide_encoding(head: bytes) -> str | None:
    """UTF-16 without a mark: nearly every second byte of Western text is zero."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half < 4 or len(head) % 2:
        return None
    if odd * 10 >= half * 7 and even * 20 <= half:
        encoding = "utf-16-le"
    elif even * 10 >= half * 7 and odd * 20 <= half:
        encoding = "utf-16-be"
    else:
        return None
    text = head.decode(encoding, "replace")
    return encoding if text.isprintable() or not _has_controls(text) else None


def _has_controls(text: str) -> bool:
    return any(ord(character) < 128 and ord(character) in _CONTROLS for character in text)


def fallback_encoding(file: BinaryIO) -> str:
    """What the text in a file is written in that is not UTF-8: GBK, if it looks so, or Latin-1.

    Even GBK is a guess that the rest of the file may refute. Latin-1 maps every byte to a
    character and back, so it always holds.
    """
    while chunk := file.read(HEAD_BYTES):
        if first := _FOREIGN.search(chunk):
            sample = chunk[first.start() :] + file.read(first.start())
            pairs = _PAIR.findall(sample)
            common = sum(1 for pair in pairs if _COMMON_CHINESE.fullmatch(pair))
            return "gbk" if common * 10 > len(pairs) * 7 else "latin-1"
    return "latin-1"


def decode_text(data: bytes) -> tuple[str, TextFormat] | None:
    """The text, its line endings as they are, and the format that gives the same bytes again."""
    guess = guess_encoding(data[:HEAD_BYTES])
    if guess is None:
        return None
    encoding, mark = guess
    text = _decoded(data[len(mark) :], encoding)
    if text is None:
        encoding, mark = fallback_encoding(io.BytesIO(data)), b""
        text = _decoded(data, encoding)
    if text is None:
        encoding = "latin-1"
        text = data.decode(encoding)
    return text, TextFormat(encoding, mark, main_newline(text))


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def main_newline(text: str) -> Newline:
    """The line ending that most lines have."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    classic = text.count("\r") - windows
    if windows > unix and windows >= classic:
        return "\r\n"
    return "\r" if classic > unix else "\n"


def with_newlines(text: str, newline: Newline) -> str:
    return _NEWLINES.sub(newline, text)
