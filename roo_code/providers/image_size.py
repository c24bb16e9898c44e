"""How large an image is, by the first bytes of its file."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64

_HEAD = 64 * 1024
"""Base64 characters: a JPEG may carry a preview before its own size."""
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def image_size(data: str) -> tuple[int, int] | None:
    """Width and height of a base64 PNG, GIF, WebP or JPEG; None where they cannot be told."""
    try:
        head = b64decode(data[:_HEAD])
    except (NotBase64, ValueError):
        return None
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return _big(head[16:20]), _big(head[20:24])
    if head[:4] == b"GIF8" and len(head) >= 10:
        return _little(head[6:8]), _little(head[8:10])
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    return _jpeg(head) if head[:2] == b"\xff\xd8" else None


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8 ":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    if kind == b"VP8L":
        bits = _little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _little(head[24:27]) + 1, _little(head[27:30]) + 1
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    """A JPEG is a row of segments, each with its length; one of them has the size."""
    place = 2
    while place + 9 <= len(head) and head[place] == 0xFF:
        if head[place + 1] in _JPEG_FRAMES:
            return _big(head[place + 7 : place + 9]), _big(head[place + 5 : place + 7])
        place += 2 + _big(head[place + 2 : place + 4])
    return None


def _big(number: bytes) -> int:
    return int.from_bytes(number, "big")


def _little(number: bytes) -> int:
    return int.from_bytes(number, "little")
