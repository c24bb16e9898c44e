"""One service over HTTP: a request out, its events in, every failure one of our errors."""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
from pydantic_core import from_json

from roo_code.errors import (
    ConfigError,
    ConnectionCut,
    ConnectionFailed,
    ProtocolError,
    RooCodeError,
    TimedOut,
)
from roo_code.providers.service_errors import Refusal, read_refusal, refused
from roo_code.providers.sse import SseEvent, SseParser

CONNECT_SECONDS = 10.0
_LARGEST_ERROR_BODY = 64 * 1024
_ERROR_BODY_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30.0
_NOT_EVENTS = ("application/json", "text/html", "application/xml")
_MENDABLE = "Check the provider and the base URL."


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where requests go, and what goes with each."""

    provider: str
    url: str
    idle_seconds: float
    headers: Mapping[str, str] = field(repr=False)

    @property
    def who(self) -> str:
        """For messages: no query, no user information, no key."""
        return f"{self.provider} ({_host(httpx2.URL(self.url))})"


class HttpService:
    """Holds one client, made when it is first needed, for as long as its event loop lives."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, body: bytes) -> AsyncGenerator[SseEvent]:
        """Send the request and yield each event of the answer as it arrives."""
        who = self._endpoint.who
        parser = SseParser()
        try:
            async with self._open().stream(
                "POST", self._endpoint.url, content=body, headers=dict(self._endpoint.headers)
            ) as response:
                await _check(response, who)
                async for data in response.aiter_bytes():
                    for event in parser.feed(data):
                        yield event
        except httpx2.HTTPError as error:
            raise _not_arrived(error, who, self._endpoint.idle_seconds) from error
        for event in parser.finish():
            yield event

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _open(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            plain = self._endpoint.url.startswith("http://")
            self._client = httpx2.AsyncClient(
                # Loading the system's certificates takes 45 ms that plain HTTP need not pay.
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
                timeout=httpx2.Timeout(self._endpoint.idle_seconds, connect=CONNECT_SECONDS),
                limits=httpx2.Limits(keepalive_expiry=_KEEP_ALIVE_SECONDS),
            )
            self._loop = loop
        return self._client


async def _check(response: httpx2.Response, who: str) -> None:
    """Raise what an answer that is not a stream of events means."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    status = response.status_code
    if status == 200 and kind not in _NOT_EVENTS:
        return
    if 300 <= status < 400:
        raise _redirected(response, who)
    body = await _read_bounded(response)
    refusal = _read_refusal(body, kind)
    if status >= 400:
        raise refused(who, refusal, status=status, retry_after=_retry_after(response.headers))
    if kind == "application/json" and (refusal.message or refusal.names):
        raise refused(who, refusal)
    raise ConfigError(
        f"{who} answered {status} with {kind or 'something'} and not with a stream of events.",
        hint=_MENDABLE,
    )


def _redirected(response: httpx2.Response, who: str) -> ConfigError:
    """Not followed: a key goes only where the settings say."""
    target = response.headers.get("location", "")
    try:
        host = _host(response.url.join(target))
    except httpx2.InvalidURL:
        host = "another address"
    return ConfigError(
        f"{who} answered {response.status_code}: it has moved to {host}.", hint=_MENDABLE
    )


async def _read_bounded(response: httpx2.Response) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(_ERROR_BODY_SECONDS):
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) >= _LARGEST_ERROR_BODY:
                    break
    except (httpx2.HTTPError, TimeoutError):
        pass  # the status alone says enough
    return bytes(body[:_LARGEST_ERROR_BODY])


def _read_refusal(body: bytes, kind: str) -> Refusal:
    try:
        parsed: Any = from_json(body)
    except ValueError:
        is_page = kind == "text/html" or body.lstrip()[:1] == b"<"
        parsed = "a web page" if is_page else body.decode("utf-8", "replace")
    return read_refusal(parsed)


def _retry_after(headers: httpx2.Headers, now: float | None = None) -> float | None:
    """Seconds, whether the service says milliseconds, seconds or a date."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if not value:
            return None
        if value.replace(".", "", 1).strip().isdigit():
            return float(value)
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, date.timestamp() - (time.time() if now is None else now))


def _not_arrived(error: httpx2.HTTPError, who: str, idle_seconds: float) -> RooCodeError:
    why = _reason(error)
    if isinstance(error, httpx2.ConnectTimeout):
        return ConnectionFailed(f"{who} did not accept a connection in {CONNECT_SECONDS:g} s.")
    if isinstance(error, httpx2.TimeoutException):
        return TimedOut(f"{who} sent nothing for {idle_seconds:g} s.")
    if isinstance(error, httpx2.ConnectError | httpx2.ProxyError | httpx2.UnsupportedProtocol):
        return ConnectionFailed(f"Could not connect to {who}: {why}.")
    if isinstance(error, httpx2.LocalProtocolError):
        return ConfigError(f"The request to {who} cannot be sent: {why}.", hint=_MENDABLE)
    if isinstance(error, httpx2.TransportError):
        return ConnectionCut(f"{who} closed the connection before its reply was done: {why}.")
    return ProtocolError(f"The answer of {who} cannot be read: {why}.")


def _reason(error: BaseException) -> str:
    """What the system says, from as deep as the chain of causes goes."""
    deepest: BaseException | None = error
    reason = str(error)
    while deepest is not None:
        if isinstance(deepest, OSError) and deepest.strerror:
            number = 0 if isinstance(deepest, ssl.SSLError) else deepest.errno or 0
            reason = os.strerror(number) if number > 0 else deepest.strerror
        deepest = deepest.__cause__ or deepest.__context__
    return reason.rstrip(".") or type(error).__name__


def _host(url: httpx2.URL) -> str:
    return f"{url.host}:{url.port}" if url.port else url.host
