"""One page of the web as bytes: redirects followed hop by hop, size and time bounded."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urljoin

import h11

from roo_code.builtin_tools.web_addresses import Reach, web_address, web_url
from roo_code.errors import ToolError
from roo_code.providers.connection import Head
from roo_code.version import VERSION

LARGEST_PAGE = 5 << 20
"""Bytes, unpacked; what comes after is left out."""
PATIENCE = 30.0
MOST_HOPS = 5
_IDLE_SECONDS = 15.0
_HEADERS = {
    "accept": "text/html,application/xhtml+xml,text/markdown,text/plain,application/json,*/*;q=0.5",
    "accept-encoding": "gzip",
    "accept-language": "en,*;q=0.5",
    "user-agent": f"Mozilla/5.0 (compatible; RooCode/{VERSION})",
    "connection": "close",
}
_MOVED = {301, 302, 303, 307, 308}


class Download(NamedTuple):
    url: str
    """After all redirects."""
    content_type: str
    data: bytes
    whole: bool


async def download(written: str, reach: Reach) -> Download:
    """The page, or an error that says why there is none."""
    url = web_url(written)
    try:
        async with asyncio.timeout(PATIENCE):
            for _ in range(MOST_HOPS + 1):
                answer = await _get(url, reach)
                if isinstance(answer, Download):
                    return answer
                url = web_url(urljoin(url, answer))
    except TimeoutError as error:
        raise ToolError(f"{url} did not come within {PATIENCE:.0f} s.") from error
    except (OSError, h11.ProtocolError, zlib.error) as error:
        raise ToolError(f"{url} could not be fetched: {_reason(error)}.") from error
    raise ToolError(f"{written} leads from one page to another more than {MOST_HOPS} times.")


async def _get(url: str, reach: Reach) -> Download | str:
    """The page, or where it has moved to."""
    address = web_address(url)
    connection = await reach.connect(address)
    try:
        head = await connection.ask(address, _HEADERS, None, _IDLE_SECONDS)
        if head.status in _MOVED and (target := head.headers.get("location")):
            return target.encode("latin-1").decode("utf-8", "replace")
        if head.status != HTTPStatus.OK:
            raise ToolError(f"{url} answered {_status(head.status)}.")
        # The connection would unpack without bounds, so it is told of no packing.
        async with aclosing(connection.body(Head(head.status, {}))) as packed:
            coding = head.headers.get("content-encoding", "").strip().lower()
            data, whole = await _bounded(packed, coding)
        return Download(url, head.headers.get("content-type", ""), data, whole)
    finally:
        connection.abort()


def _status(number: int) -> str:
    try:
        return f"{number} ({HTTPStatus(number).phrase})"
    except ValueError:
        return str(number)


async def _bounded(packed: AsyncGenerator[bytes], coding: str) -> tuple[bytes, bool]:
    """As much as is kept, and whether it is all."""
    if coding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise ToolError(f"The page is packed in a way that is not known here ({coding[:40]}).")
    data, unpack = bytearray(), None
    async for piece in packed:
        room = LARGEST_PAGE + 1 - len(data)
        if coding in {"", "identity"}:
            data += piece[:room]
        else:
            unpack = unpack or zlib.decompressobj(_window(coding, piece))
            data += unpack.decompress(piece, room)
        if len(data) > LARGEST_PAGE:
            return bytes(data[:LARGEST_PAGE]), False
    if unpack is not None and not unpack.eof:
        raise zlib.error("it was cut off")
    return bytes(data), True


def _window(coding: str, start: bytes) -> int:
    """What zlib is told; some servers send deflate bare, against the standard."""
    bare = coding == "deflate" and start[:1] and start[0] & 0x0F != zlib.DEFLATED
    return -zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.rstrip(".")
    return str(error).rstrip(".") or type(error).__name__
