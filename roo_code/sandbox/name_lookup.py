"""Addresses of a name, by the system's resolver."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Sequence
from ipaddress import ip_address

from roo_code.sandbox.public_addresses import IpAddress


async def look_up(host: str, port: int) -> Sequence[IpAddress]:
    """OSError if there are none.

    Not in the threads of the loop: it would wait at its end for a resolver that hangs.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[IpAddress] | OSError] = loop.create_future()

    def settle(found: Sequence[IpAddress] | OSError) -> None:
        if not answer.done():
            answer.set_result(found)

    def ask() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = [*dict.fromkeys(ip_address(str(entry[4][0])) for entry in entries)]
        except OSError as error:
            found = error
        except UnicodeError:  # a label that is too long or empty
            found = OSError("It is not a name.")
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=ask, name="look up", daemon=True).start()
    found = await answer
    if isinstance(found, OSError):
        raise found
    return found
