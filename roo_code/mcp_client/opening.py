"""A connection for an entry, by whichever transport it names. Loads the SDK."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import cast

import httpx2
from mcp.client.auth import OAuthClientProvider

from roo_code.errors import ConfigError, ConnectionFailed, RooCodeError
from roo_code.mcp_client.breaks import LoginNeeded
from roo_code.mcp_client.circumstances import Circumstances, Confined, Negotiation
from roo_code.mcp_client.client_callbacks import ClientCallbacks
from roo_code.mcp_client.connection import BREAKS, Connection, connected
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.http import SparedTransport, over_http
from roo_code.mcp_client.login import interactive_login
from roo_code.mcp_client.oauth import stored_login
from roo_code.mcp_client.server_process import ServerProcess
from roo_code.mcp_client.stdio import over

_UNAUTHORIZED = 401


@asynccontextmanager
async def opened(
    entry: ServerEntry, around: Circumstances, note: Callable[[str], None], mode: Negotiation
) -> AsyncGenerator[Connection]:
    """Connected until the end of the block; raises one of BREAKS."""
    callbacks = ClientCallbacks(entry.name, around.workspace, around.user)
    if entry.type == "stdio":
        process = await _start(entry, around, note)
        async with connected(over(process), callbacks, note, mode) as connection:
            yield connection
        return
    transport = SparedTransport(httpx2.AsyncHTTPTransport(), around.pause)
    try:
        async with (
            _login(entry, around) as auth,
            connected(over_http(entry, transport, auth), callbacks, note, mode) as connection,
        ):
            yield connection
    except BREAKS as error:
        if transport.last_status == _UNAUTHORIZED and not isinstance(error, LoginNeeded):
            raise LoginNeeded(entry.name) from error
        raise


@asynccontextmanager
async def _login(
    entry: ServerEntry, around: Circumstances
) -> AsyncGenerator[OAuthClientProvider | None]:
    if around.secrets is None:
        yield None
    elif around.login is None:
        yield await stored_login(entry, around.secrets)
    else:
        async with interactive_login(entry, around.secrets, around.login) as auth:
            yield auth


async def _start(
    entry: ServerEntry, around: Circumstances, note: Callable[[str], None]
) -> ServerProcess:
    folder = entry.folder(around.workspace)
    argv = (entry.command, *entry.args)
    command = Confined(argv, {**around.environment(), **entry.env})
    if around.confine is not None:
        command = around.confine(around.workspace, argv, folder, command.environment)
    try:
        return await ServerProcess.start(
            command.argv, cwd=folder, environment=command.environment, on_stderr=note
        )
    except FileNotFoundError as error:
        missing = "folder" if not folder.is_dir() else "program"
        what = folder if missing == "folder" else entry.command
        raise ConfigError(
            f"There is no {missing} {str(what)!r}.",
            hint="Install it, or mend the entry of the server.",
        ) from error
    except (PermissionError, NotADirectoryError) as error:
        raise ConfigError(f"{entry.command!r} cannot be started: {error.strerror}.") from error


def explained(error: Exception) -> RooCodeError:
    """The first cause in what a failed connection raises, as an error of ours."""
    if isinstance(error, ExceptionGroup):
        causes = cast("ExceptionGroup[Exception]", error).exceptions
        return explained(causes[0])
    if isinstance(error, RooCodeError):
        return error
    if isinstance(error, TimeoutError):
        return ConnectionFailed("The server did not answer in time.")
    return ConnectionFailed(str(error) or type(error).__name__)
