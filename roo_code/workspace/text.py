"""How a file's text is written: encoding, byte order mark, line endings."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

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


@dataclass(frozen=True)
class TextFormat:
    encoding: str = "utf-8"
    mark: bytes = b""
    newline: Newline = "\n"

    def encode(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding)


def guess_encoding(head: bytes) -> tuple[str, bytes] | None:
    """The encoding and byte order mark of text that starts so; None if it is no text.

    UTF-8 is a guess that only the whole file can confirm; Latin-1 is what remains if it is not.
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


def decode_text(data: bytes) -> tuple[str, TextFormat] | None:
    """The text, its line endings as they are, and the format that gives the same bytes again."""
    guess = guess_encoding(data[:HEAD_BYTES])
    if guess is None:
        return None
    encoding, mark = guess
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        encoding, mark = "latin-1", b""  # maps every byte to a character and back
        text = data.decode(encoding)
    return text, TextFormat(encoding, mark, main_newline(text))


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
