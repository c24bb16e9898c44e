"""`roo mcp serve`: Roo's modes and tasks for any MCP client."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from contextlib import suppress
from pathlib import Path

import click
from msgspec.structs import replace

from roo_code.cli.compose import Composition, HostOptions, open_host
from roo_code.cli.given_settings import new_spec
from roo_code.cli.interrupts import Interrupts
from roo_code.cli.options import LEVELS, RunOptions
from roo_code.cli.session import workspace
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec
from roo_code.ipc.images import from_data_uris
from roo_code.mcp.server import McpModesServer
from roo_code.mcp.tasks import HostedTasks, NewTask
from roo_code.policy.roo_switches import level_named

TOKEN_VARIABLE = "ROO_MCP_TOKEN"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command()
@click.option(
    "-w", "--workspace", "folder", metavar="DIR", help="Folder of the project. Default: here."
)
@click.option("--http", is_flag=True, help="Serve HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: the address.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), show_default=True,
              help="With --http: the port; 0 is a free one.")  # fmt: skip
@click.option("--approve", type=click.Choice(LEVELS), default="ask", show_default=True,
              help="What tasks may do unasked, as with roo; what they ask is answered by "
              "answer_task.")  # fmt: skip
@click.option("--session-timeout", default=3600.0, show_default=True, metavar="SECONDS",
              help="After how long a silent client is forgotten.")  # fmt: skip
def serve(
    folder: str | None, http: bool, host: str, port: int, approve: str, session_timeout: float
) -> int:
    """Serve Roo's modes and tasks to an MCP client.

    Over HTTP every request needs a token: the one in ROO_MCP_TOKEN or, if it is not set, a new
    one that is printed at the start. Clients find the address and the token on stderr.

    \b
    Examples:
      roo mcp serve
      roo mcp serve --http --port 8123
    """
    logging.getLogger("roo_code").addHandler(logging.StreamHandler(sys.stderr))
    root = workspace(folder)
    options = RunOptions(workspace=root, approve=level_named(approve))
    if http and host not in _LOOPBACK and not os.environ.get(TOKEN_VARIABLE):
        raise ConfigError(
            f"To serve {host} to other machines, choose the token yourself.",
            hint=f"Set {TOKEN_VARIABLE} to a long random text, and put TLS before the server.",
        )
    return asyncio.run(_serve(options, session_timeout, (host, port) if http else None))


async def _serve(
    options: RunOptions, session_timeout: float, address: tuple[str, int] | None
) -> int:
    async with open_host(HostOptions(tell=_tell)) as composed:
        server = McpModesServer(
            Path(options.workspace or "."),
            tasks=_tasks(composed, options),
            session_timeout=session_timeout,
        )
        work = server.run() if address is None else _serve_http(server, *address)
        running = asyncio.create_task(work)
        with Interrupts(lambda: None).stopping(running), suppress(asyncio.CancelledError):
            await running
    return 0


def _tasks(composed: Composition, options: RunOptions) -> HostedTasks:
    def make_spec(task: NewTask) -> TaskSpec:
        wanted = replace(options, mode=task.mode, workspace=task.workspace or options.workspace)
        images = from_data_uris(task.images)
        if not images and not task.prompt.strip():
            raise ConfigError("The prompt is empty.", hint="Say what to do.")
        return new_spec(wanted, task.prompt, {}, unattended=False).replace(images=images)

    return HostedTasks(
        composed.host, make_spec, composed.executor.attend, composed.executor.failure
    )


async def _serve_http(server: McpModesServer, host: str, port: int) -> None:
    import uvicorn  # noqa: PLC0415 - few runs serve HTTP

    from roo_code.mcp.http import LOOPBACK, PATH, HttpFrontEnd  # noqa: PLC0415

    token = os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(32)
    hosts = LOOPBACK if host in _LOOPBACK else (*LOOPBACK, host)
    app = HttpFrontEnd(server, token, hosts).app()
    listening = _listening(host, port)
    _tell(f"http://{_shown(host)}:{listening.getsockname()[1]}{PATH}")
    if not os.environ.get(TOKEN_VARIABLE):
        _tell(f"{TOKEN_VARIABLE}={token}")
    config = uvicorn.Config(app, log_level="warning", lifespan="off")
    cleaning = asyncio.create_task(server.sessions.clean_up_for_ever())
    try:
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        cleaning.cancel()


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=_family(host))
    except OSError as error:
        told = str(error.strerror).partition(" (")[0]  # Python repeats the address there
        raise ConfigError(
            f"{_shown(host)}:{port} cannot be served: {told}.",
            hint="Choose another --port, or none for a free one; --host is an address of ours.",
        ) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _tell(text: str) -> None:
    """Nothing but messages may go to stdout."""
    click.echo(text, err=True)
