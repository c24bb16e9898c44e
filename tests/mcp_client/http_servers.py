"""Servers over HTTP: those of others in Node, and our own that misbehave."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from tests.mcp_client.hubs import NODE, NODE_MODULES


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def everything(kind: str, port: int) -> AsyncGenerator[None]:
    """The reference server over `sse` or `streamableHttp`."""
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        str(NODE_MODULES / ".bin" / "mcp-server-everything"),
        kind,
        env={"PATH": os.environ["PATH"], "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(30):
            while not await listens(port):
                await asyncio.sleep(0.02)
        yield
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
