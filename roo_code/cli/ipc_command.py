"""`roo ipc`: serve tasks to programs that speak Roo's socket protocol."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys

import click

from roo_code.cli.compose import HostOptions, open_host
from roo_code.cli.debug_log import log_to_file
from roo_code.cli.given_settings import GivenSettings
from roo_code.cli.interrupts import INTERRUPTED, TERMINATED, Interrupts
from roo_code.cli.ipc_surroundings import surroundings
from roo_code.cli.options import RunOptions
from roo_code.errors import ConnectionFailed, UserFacingError
from roo_code.ipc.client import IpcClient
from roo_code.ipc.door import IpcDoor
from roo_code.ipc.server import IpcServer
from roo_code.ipc.socket_path import PATH_VARIABLE, default_path


@click.group("ipc")
def ipc() -> None:
    """Let other programs start, steer and watch tasks, as they do with Roo."""


@ipc.command("serve")
@click.option(
    "--socket", "path", metavar="PATH",
    help=f"Where to serve. Default: {PATH_VARIABLE}, or roo-code-ipc-PID.sock among the "
    "temporary files.",
)  # fmt: skip
@click.option(
    "--connect", "evaluation", metavar="PATH",
    help="Bring every event to the server of an evaluation, too, and take its commands.",
)  # fmt: skip
@click.option("-w", "--workspace", metavar="DIR", help="Folder of the project. Default: here.")
@click.option("-d", "--debug", is_flag=True, help="Write a log to cli-debug.log in ROO_HOME.")
def serve(path: str | None, evaluation: str | None, workspace: str | None, debug: bool) -> int:
    """Serve the workspace on a Unix socket until a signal comes.

    Clients are programs of the same user that speak Roo's protocol: node-ipc frames, Roo's
    commands and events. The socket's path is printed; what is wrong with a message, on stderr.
    See docs/ipc.md.

    \b
    Example:
      roo ipc serve --socket /tmp/roo-code-1.sock
    """
    if debug:
        log_to_file()
    _log_to_stderr()
    server = IpcServer(path or os.environ.get(PATH_VARIABLE) or default_path())
    options = RunOptions(workspace=workspace)
    try:
        return asyncio.run(_serve(server, IpcClient(evaluation) if evaluation else None, options))
    except ConnectionFailed as error:  # of the evaluation's server, which a door needs at first
        hint = "Start the server that is to be there first, or mend the path of --connect."
        raise UserFacingError(str(error), hint=hint) from error


async def _serve(server: IpcServer, evaluation: IpcClient | None, options: RunOptions) -> int:
    settings = GivenSettings()
    given = HostOptions(given=settings.of, tell=logging.getLogger(__name__).warning)
    interrupts = Interrupts(server.remove_file)
    async with open_host(given) as composed:
        around = surroundings(composed, settings, options)
        waiting = asyncio.create_task(asyncio.Event().wait())
        with interrupts.stopping(waiting):
            async with IpcDoor(composed.host, around, server=server, evaluation=evaluation):
                click.echo(server.path)
                sys.stdout.flush()
                await asyncio.wait({waiting})
    return INTERRUPTED if interrupts.received == signal.SIGINT else TERMINATED


def _log_to_stderr() -> None:
    """Nobody sits before a screen here: whoever looks for a cause looks there."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.getLogger("roo_code").addHandler(handler)
