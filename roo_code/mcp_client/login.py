"""Logging in at a server: a page in the browser that comes back to us, or a pasted address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult

from roo_code.errors import ConfigError
from roo_code.mcp_client.circumstances import LoginWays, Secrets
from roo_code.mcp_client.client_callbacks import ClientCallbacks
from roo_code.mcp_client.connection import connected
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.http import SparedTransport, over_http
from roo_code.mcp_client.oauth import LoginStore, login_provider

_LONGEST_REQUEST = 16_384
_PAGE = b"<!doctype html><title>Roo Code</title><p>You are logged in. You may close this page."
_REFUSED = b"<!doctype html><title>Roo Code</title><p>The login failed. See the terminal."


_Answers: TypeAlias = "asyncio.Queue[str]"


async def log_in(
    entry: ServerEntry, secrets: Callable[[], Secrets], ways: LoginWays, around: ClientCallbacks
) -> int:
    """Log in and keep the tokens; the number of tools that the server then offers."""
    if entry.type == "stdio":
        raise ConfigError(
            f"{entry.name} is a program of this machine; there is nothing to log in to."
        )
    await LoginStore(entry, secrets).forget()
    async with interactive_login(entry, secrets, ways) as auth:
        transport = SparedTransport(httpx2.AsyncHTTPTransport())
        async with connected(
            over_http(entry, transport, auth), around, lambda text: None
        ) as connection:
            return len((await connection.listing()).tools)


@asynccontextmanager
async def interactive_login(
    entry: ServerEntry, secrets: Callable[[], Secrets], ways: LoginWays
) -> AsyncGenerator[OAuthClientProvider]:
    """Signs requests, and has the user log in whenever the server wants that."""
    async with _callback(ways.port) as (redirect, answers):

        async def wait_for_code() -> AuthorizationCodeResult:
            return read_answer(await (answers.get() if ways.paste is None else ways.paste()))

        store = LoginStore(entry, secrets)
        yield await login_provider(entry, store, redirect, ways.show, wait_for_code)


def read_answer(text: str) -> AuthorizationCodeResult:
    """From the address the browser was sent to; ConfigError where it says no."""
    given = {name: values[0] for name, values in parse_qs(urlsplit(text.strip()).query).items()}
    if "error" in given:
        why = given.get("error_description") or given["error"]
        raise ConfigError(f"The login was refused: {why}")
    if "code" not in given:
        raise ConfigError(
            "There is no code in this address.",
            hint="Paste the whole address of the page that the browser was sent to.",
        )
    return AuthorizationCodeResult(
        code=given["code"], state=given.get("state"), iss=given.get("iss")
    )


@asynccontextmanager
async def _callback(port: int) -> AsyncGenerator[tuple[str, _Answers]]:
    """The address to come back to, on this machine only, and what came."""
    answers: _Answers = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            target = request.split(b" ", 2)[1].decode("ascii")
            page, status = _taken(target, answers)
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n"
            writer.write(f"{head}Content-Length: {len(page)}\r\n\r\n".encode() + page)
            await writer.drain()
        except (OSError, ValueError, IndexError, asyncio.IncompleteReadError,
                asyncio.LimitOverrunError):  # fmt: skip
            pass  # not a browser that comes back
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port, limit=_LONGEST_REQUEST)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback", answers


def _taken(target: str, answers: _Answers) -> tuple[bytes, str]:
    if urlsplit(target).path != "/callback":
        return b"", "404 Not Found"
    answers.put_nowait(target)
    try:
        read_answer(target)
    except ConfigError:
        return _REFUSED, "400 Bad Request"
    return _PAGE, "200 OK"
