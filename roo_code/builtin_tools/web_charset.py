"""Which characters the bytes of a page stand for."""

from __future__ import annotations

import codecs
import re
from email.message import Message

from roo_code.workspace.text import HEAD_BYTES, decode_text, guess_encoding

_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_XML_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})["']""")
_OF_THE_WEB = re.compile(
    r"(utf-(8|16|32)|cp?\d+|iso8859-|gb|hz|big5|euc|shift_jis|koi8|mac-|tis-620|iso2022|johab)"
)
"""By Python's names. It has others that are no character sets, or are slow to read."""


def content_kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def decode_page(data: bytes, content_type: str, kind: str) -> str | None:
    """The text; None if it is none. A mark in the bytes, the header, then the page itself say."""
    guess = guess_encoding(data[:HEAD_BYTES])
    if guess is not None and guess[1]:
        return data[len(guess[1]) :].decode(guess[0], "replace")
    for name in (_of_header(content_type), _of_page(data[:4096], kind)):
        if name and (known := _known(name)):
            return data.decode(known, "replace")
    decoded = decode_text(data)
    return None if decoded is None else decoded[0]


def _of_header(content_type: str) -> str:
    message = Message()
    message["content-type"] = content_type.encode("ascii", "replace").decode()
    return message.get_content_charset("")


def _of_page(head: bytes, kind: str) -> str:
    declared = _XML_DECLARED.search(head) or (_DECLARED.search(head) if "html" in kind else None)
    name = declared[1].decode("ascii", "replace") if declared else ""
    # What could be read so far is not written in two bytes a character, whatever it says.
    return "utf-8" if name.lower().startswith(("utf-16", "utf-32")) else name


def _known(name: str) -> str | None:
    """Python's name of a character set of the web."""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    if known in {"ascii", "iso8859-1"}:
        return "cp1252"  # what browsers take it for, and most pages mean
    return known if _OF_THE_WEB.match(known) else None
