"""A run's host that other programs may join, where the environment names a socket for that."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from roo_code.cli.compose import Composition, HostOptions, open_host
from roo_code.cli.given_settings import GivenSettings
from roo_code.cli.options import RunOptions
from roo_code.events import EventRecord


@asynccontextmanager
async def open_served_host(
    given: HostOptions, options: RunOptions, settings: GivenSettings | None = None
) -> AsyncGenerator[Composition]:
    """As `open_host`. With ROO_CODE_IPC_SOCKET_PATH, programs hear of and steer the tasks.

    The socket is served; if somebody serves it already, as an evaluation does, it is joined.
    """
    settings = settings or GivenSettings()
    given = replace(given, given=settings.of)
    path = os.environ.get("ROO_CODE_IPC_SOCKET_PATH", "")
    if not path:
        async with open_host(given) as composed:
            yield composed
        return
    from roo_code.cli.ipc_surroundings import surroundings  # noqa: PLC0415 - few runs need it
    from roo_code.ipc.client import IpcClient  # noqa: PLC0415
    from roo_code.ipc.door import IpcDoor  # noqa: PLC0415
    from roo_code.ipc.server import IpcServer  # noqa: PLC0415
    from roo_code.ipc.socket_path import is_served  # noqa: PLC0415

    doors: list[IpcDoor] = []

    def note(record: EventRecord) -> None:
        for door in doors:
            door.note(record)

    noted = replace(given, note=note)
    async with open_host(noted) as composed:
        if await asyncio.to_thread(is_served, path):
            evaluation, server = IpcClient(path), None
        else:
            evaluation, server = None, IpcServer(path)
        around = surroundings(composed, settings, options)
        async with IpcDoor(composed.host, around, server=server, evaluation=evaluation) as door:
            doors.append(door)
            yield composed
