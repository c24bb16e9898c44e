"""A connection to whichever of a host's addresses answers first.

asyncio's own race for it leaves a socket open if it is cancelled between its winner and its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Sequence
from typing import Any

_HEAD_START_SECONDS = 0.25
"""In which an address must answer before the next is tried beside it."""

Place = tuple[Any, ...]
"""What `getaddrinfo` says of an address."""


async def open_first(
    host: str, port: int, context: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if _is_number(host):
        return await asyncio.open_connection(host, port, ssl=context)
    loop = asyncio.get_running_loop()
    places = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    connected = await _first_connected(places)
    try:
        name = host if context is not None else None
        return await asyncio.open_connection(sock=connected, ssl=context, server_hostname=name)
    except BaseException:
        connected.close()
        raise


def _is_number(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError):
            return bool(socket.inet_pton(family, host))
    return False


async def _first_connected(places: Sequence[Place]) -> socket.socket:
    left, attempts = list(places), list[asyncio.Task[socket.socket]]()
    failures: list[BaseException] = []
    try:
        while left or attempts:
            if left:
                attempts.append(asyncio.create_task(_connected(left.pop(0))))
            seconds = _HEAD_START_SECONDS if left else None
            done, _ = await asyncio.wait(
                attempts, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                attempts.remove(attempt)
                if (failure := attempt.exception()) is None:
                    attempts += done - {attempt}
                    return attempt.result()
                failures.append(failure)
    finally:
        for attempt in attempts:
            attempt.cancel()
            attempt.add_done_callback(_close_unused)
    raise failures[0] if failures else OSError("the host has no address")


async def _connected(place: Place) -> socket.socket:
    family, kind, protocol, _, where = place
    made = socket.socket(family, kind, protocol)
    try:
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, where)
    except BaseException:
        made.close()
        raise
    return made


def _close_unused(attempt: asyncio.Task[socket.socket]) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()
