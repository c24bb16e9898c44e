"""Answers that are not a stream of events: what they mean."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from datetime import UTC
from typing import Any
from urllib.parse import urljoin, urlsplit

import h11

from roo_code.errors import ConfigError
from roo_code.json_text import from_json
from roo_code.providers.connection import Head
from roo_code.providers.service_errors import Refusal, read_refusal, refused

_LARGEST_BODY = 64 * 1024
_BODY_SECONDS = 10.0
_JSON = "application/json"
_NOT_EVENTS = (_JSON, "text/html", "application/xml")
_HINT = "Check the provider and the base URL."


async def check(
    head: Head, data: AsyncGenerator[bytes], who: str, *, wants_json: bool = False
) -> None:
    """Return where events follow, or JSON where that is wanted; else raise what it means."""
    kind = head.headers.get("content-type", "").partition(";")[0].strip().lower()
    if head.status == 200 and (kind == _JSON if wants_json else kind not in _NOT_EVENTS):
        return
    if 300 <= head.status < 400:
        raise _moved(head, who)
    refusal = _refusal(await _read_bounded(data), kind)
    if head.status >= 400:
        wait = retry_after(head.headers, time.time())
        raise refused(who, refusal, status=head.status, retry_after=wait)
    if kind == _JSON and (refusal.message or refusal.names):
        raise refused(who, refusal)
    wanted = "JSON" if wants_json else "a stream of events"
    raise ConfigError(
        f"{who} answered {head.status} with {kind or 'something'} and not with {wanted}.",
        hint=_HINT,
    )


def _moved(head: Head, who: str) -> ConfigError:
    """Not followed: a key goes only where the settings say."""
    target = head.headers.get("location", "")
    try:
        host = urlsplit(urljoin("http://", target)).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    where = host or "another path"
    return ConfigError(f"{who} answered {head.status}: it has moved to {where}.", hint=_HINT)


async def _read_bounded(data: AsyncGenerator[bytes]) -> bytes:
    body = bytearray()
    # Where the body cannot be read, the status alone says enough.
    with suppress(OSError, h11.ProtocolError, zlib.error):
        async with asyncio.timeout(_BODY_SECONDS):
            async for piece in data:
                body += piece
                if len(body) >= _LARGEST_BODY:
                    break
    return bytes(body[:_LARGEST_BODY])


def _refusal(body: bytes, kind: str) -> Refusal:
    try:
        parsed: Any = from_json(body)
    except ValueError:
        is_page = kind == "text/html" or body.lstrip()[:1] == b"<"
        parsed = "a web page" if is_page else body.decode("utf-8", "replace")
    return read_refusal(parsed)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds, whether the service says milliseconds, seconds or a date."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after", "").strip()
        if not value:
            return None
        if value.replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, _timestamp(value) - now)
    except ValueError:
        return None


def _timestamp(date: str) -> float:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - 8 ms for a rare header

    parsed = parsedate_to_datetime(date)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
